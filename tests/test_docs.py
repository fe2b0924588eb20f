"""The pages of the documentation: run as they are written, with links that lead somewhere, and words that exist."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from channels.fading import FADING
from otafl import key_reference
from otafl.algorithms import METHODS
from otafl.data.sources import DATASETS
from otafl.optimizers import OPTIMIZERS
from otafl.partition import NATURAL, PARTITIONS
from otafl.schemes import SCHEMES
from otafl.training.models import MODELS
from otafl.uplinks import UPLINKS, chain
from otafl.variables import COORDINATES, VARIABLES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KEYS = key_reference.keys()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")), *DOCS.glob("development/*.md")]
"""Pages that are written by hand."""
PAGES = [path for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))) if BLOCK.search(path.read_text("utf-8"))]
LONG = ("README", "scenarios", "tutorial", "my-data", "my-figure", "my-channel", "my-method", "results")
"""Pages that take up to a minute each."""
NEEDS = re.compile(r"^# needs (\w+)$", re.MULTILINE)
"""Mark of a block that is run only where a package is installed which otafl does not bring."""
COMMAND = """
sys.argv = {words!r}
try:
    otafl.cli.main()
except SystemExit as end:
    assert not end.code, {words!r}
"""


def program(page: str) -> str:
    """All that a page says to do, as a program in Python."""
    lines = ["import shlex, sys", "import otafl.cli", "from pathlib import Path"]
    for kind, content in BLOCK.findall(page):
        if kind == "toml":
            name = content.splitlines()[0].removeprefix("# ")
            lines.append(f"Path({name!r}).write_text({content!r})")
        if kind == "python" and all(map(importlib.util.find_spec, NEEDS.findall(content))):
            lines.append(content)
        if kind == "console":
            commands = [line.removeprefix("$ ").split() for line in content.splitlines() if line.startswith("$ ")]
            lines += [COMMAND.format(words=words) for words in commands]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page.stem in LONG else [], id=page.stem) for page in PAGES]
)
def test_page_does_what_it_says(page, tmp_path):
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "page.py").write_text(program(page.read_text(encoding="utf-8")), encoding="utf-8")
    environment = os.environ | {"MPLBACKEND": "Agg", "OTAFL_STORE_DIR": str(tmp_path / "store")}
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-3000:]


def test_pages_have_something_to_run():
    assert {page.stem for page in PAGES} >= {"README", "scenarios", *LONG}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(DOCS.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path / "store"))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_included_examples_are_there(page):
    for name in re.findall(r"```\{literalinclude\} (\S+)", page.read_text(encoding="utf-8")):
        assert (DOCS / name).is_file()


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST form them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*WRITTEN, ROOT / "figures" / "README.md"], ids=lambda path: path.stem)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if target.parent == DOCS / "reference":
            assert target.stem in {"keys", "methods", "channels", "scenarios", "results"}, link
        else:
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.stem)
def test_pages_name_keys_that_there_are(page):
    keys = {entry.name for entry in KEYS}
    tables = "|".join({name.split(".")[0] for name in keys if "." in name})
    named = re.findall(rf"`((?:{tables})\.\w+)(?: = [^`]+)?`", prose(page))
    assert [name for name in named if name not in keys] == []


@pytest.fixture(scope="module")
def glossary(tmp_path_factory) -> set[str]:
    """Return the names in code font in the glossary as it is built."""
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    assert spec
    assert spec.loader
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    folder = tmp_path_factory.mktemp("docs") / "reference"
    pages.write(folder)
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    included = re.findall(r"^```\{include\} reference/(\S+)$", text, re.MULTILINE)
    whole = "\n".join([text, *((folder / name).read_text(encoding="utf-8") for name in included)])
    return set(re.findall(r"`([^`\n]+)`", whole))


def test_glossary_has_every_key(glossary):
    assert {entry.name for entry in KEYS} - glossary == set()


def test_glossary_has_every_choice(glossary):
    listed = {name for entry in KEYS for name in re.findall('"([^"]+)"', entry.takes)}
    parts = {name for registry in chain.PARTS.values() for name in registry}
    data = {name for known in DATASETS.values() for name in known}
    data |= {*PARTITIONS, NATURAL, *OPTIMIZERS}
    assert {*listed, *parts, *data, *SCHEMES, *MODELS, *FADING, *UPLINKS, *METHODS} - glossary == set()


def test_glossary_has_every_variable(glossary):
    assert {*VARIABLES, *COORDINATES} - glossary == set()


FIELD = ("AirComp", "BAA", "OBDA", "one-bit", "COTAF", "latency", "outage", "Dirichlet", "client", "device")
FIELD += ("aggregator", "server learning rate", "truncation threshold", "sustained crossing", "CSI", "path loss")
FIELD += ("error feedback", "majority vote", "phase compensation", "channel inversion", "communication round")
"""Words by which people of the field look for ours."""


@pytest.mark.parametrize("term", FIELD)
def test_glossary_has_words_of_the_field(term):
    assert term.lower() in (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
