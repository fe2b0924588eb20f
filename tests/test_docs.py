"""Pages of the documentation: run as they are written, with links that lead somewhere; examples of docstrings, too."""

import doctest
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from nbclient import NotebookClient

import otafl
from otafl.algorithms import METHODS
from otafl.channels.fading import FADING
from otafl.cli import glossary, key_reference
from otafl.data.sources import DATASETS
from otafl.federation.partition import NATURAL, PARTITIONS
from otafl.metrics.result_variables import COORDINATES, VARIABLES
from otafl.numerics.optimizers import OPTIMIZERS
from otafl.schemes import SCHEMES
from otafl.training.models import MODELS
from otafl.uplinks import UPLINKS, chain

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KEYS = key_reference.keys()
BLOCK = re.compile(r"^```(?:\{code-cell\} )?(\w+)\n(?::tags:.*\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block of a page, or a cell of a notebook: its language and its content."""


def _generator() -> ModuleType:
    """Return docs/pages.py, which writes the reference from the code."""
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()
PARTS = ("tutorials", "how-to", "explanation", "reference")
REFERENCE = {DOCS / "reference" / f"{name}.md" for name in GENERATOR.PAGES}
"""Pages that are written from the code."""
SITE = [path for part in PARTS for path in sorted((DOCS / part).glob("*.md")) if path not in REFERENCE]
"""Hand-written pages of the four parts."""
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", DOCS / "index.md", *SITE]
WRITTEN += [*sorted(DOCS.glob("development/*.md")), *sorted(DOCS.glob("published/*.md"))]
"""All hand-written pages."""
PAGES = [path for path in (ROOT / "README.md", *SITE) if BLOCK.search(path.read_text("utf-8"))]
QUICK = ("running",)
"""Pages that take seconds; others take up to a minute each."""
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
    "page", [pytest.param(page, marks=() if page.stem in QUICK else pytest.mark.slow, id=page.stem) for page in PAGES]
)
def test_page_does_what_it_says(page, tmp_path):
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "page.py").write_text(program(page.read_text(encoding="utf-8")), encoding="utf-8")
    environment = os.environ | {"MPLBACKEND": "Agg", "OTAFL_STORE_DIR": str(tmp_path / "store")}
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(DOCS.glob("tutorials/*.ipynb")), ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_STORE_DIR", str(tmp_path / "store"))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()


DRAWN = """
with plt.rc_context(style.STYLE):
    plt.subplots()
"""


@pytest.mark.slow
def test_every_cell_that_draws_within_the_style_shows_its_figure(tmp_path):
    cells = ["import matplotlib.pyplot as plt\nfrom otafl.results import style, plot", DRAWN, DRAWN]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [[list(one.get("data", {})) for one in cell.outputs] for cell in notebook.cells]
    assert all(any("image/png" in kinds for kinds in cell) for cell in shown[1:])


FILES = [path for room in ("otafl", "channels") for path in sorted((ROOT / room).rglob("*.py"))]
NAMES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if ">>> " in path.read_text("utf-8")]
MODULES = {f"otafl.{name.removeprefix('otafl.')}".removesuffix(".__init__") for name in NAMES}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples_bring_what_they_show(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed


WHOLE_BLOCK = re.compile(r"^(<!-- not run: .+ -->\n)?```(.*)\n(?:.*\n)*?```$", re.MULTILINE)
"""A block with its first line, and with the comment before it that says why no test runs it."""
TESTED = re.compile(r"python|console|toml|\{.+\}.*")
"""First lines of blocks that tests run, or Sphinx reads."""


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.stem)
def test_blocks_are_run_or_say_why_not(page):
    blocks = WHOLE_BLOCK.findall(page.read_text(encoding="utf-8"))
    assert [first for reason, first in blocks if not reason and not TESTED.fullmatch(first)] == []


@pytest.mark.slow
def test_site_is_built_without_warnings(tmp_path):
    options = ["-W", "--keep-going", "-n", "-q", "-b", "html", "-D", "nb_execution_mode=off"]
    command = [sys.executable, "-m", "sphinx", *options, DOCS, tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "html" / "index.html").is_file()


def test_readme_is_one_page_and_pages_have_something_to_run():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110
    assert {page.stem for page in PAGES} >= {"README", "fedavg", "scenarios", "results", *QUICK}


def test_thumbnails_and_included_examples_are_there():
    index = DOCS / "index.md"
    thumbnails = re.findall(r"^:img-top: (\S+)$", index.read_text(encoding="utf-8"), re.MULTILINE)
    assert thumbnails
    named = [(index, name) for name in thumbnails]
    for page in SITE:
        named += [(page, name) for name in re.findall(r"```\{literalinclude\} (\S+)", page.read_text(encoding="utf-8"))]
    assert [name for page, name in named if not (page.parent / name).is_file()] == []


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST form them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*WRITTEN, *ROOT.glob("figures/**/README.md")], ids=lambda path: path.parent.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if target in REFERENCE:
            continue
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def sentences(page: Path) -> list[list[str]]:
    text = re.sub(r"^\s*(?:\||#|!\[).*$", "", prose(page), flags=re.MULTILINE)
    split = (re.split(r"(?<=[.!?:;])\s+(?=[A-Z*`])", " ".join(one.split())) for one in re.split(r"\n\s*\n", text))
    return [words for paragraph in split for sentence in paragraph if len(words := sentence.split()) > 2]


@pytest.mark.parametrize("page", [*WRITTEN, *ROOT.glob("figures/**/README.md")], ids=lambda path: path.parent.name)
def test_sentences_are_short(page):
    long = [" ".join(words) for words in sentences(page) if len(words) > 28]
    assert len(long) <= len(sentences(page)) / 10, long


@pytest.mark.parametrize("name", [name for name in GENERATOR.PAGES if name.startswith(("gallery", "figures_"))])
def test_gallery_of_the_site_has_its_pictures_and_pages(name):
    links = re.findall(r"\]\(([^)\s#]+)[)#]", GENERATOR.PAGES[name]())
    there = {link for link in links if DOCS / "reference" / link in REFERENCE or (DOCS / "reference" / link).is_file()}
    assert [link for link in links if link not in there] == []


def test_bibliography_has_every_paper():
    entries = re.sub(r"[{}]", "", (DOCS / "paper.bib").read_text(encoding="utf-8")).lower()
    papers = [name for scheme in SCHEMES.values() for name in re.findall('"(.+?)"', scheme.paper)]
    papers += [method.source for method in key_reference.methods()]
    assert [paper for paper in papers if paper.lower() not in entries] == []


def test_citations_have_the_version():
    assert f"version = {{{otafl.__version__}}}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"version: {otafl.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.stem)
def test_pages_name_keys_that_there_are(page):
    keys = {entry.name for entry in KEYS}
    tables = "|".join({name.split(".")[0] for name in keys if "." in name})
    named = re.findall(rf"`((?:{tables})\.\w+)(?: = [^`]+)?`", prose(page))
    assert [name for name in named if name not in keys] == []


def test_glossary_has_every_key_choice_and_variable():
    text = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    generated = GENERATOR.files()
    included = [generated[name] for name in re.findall(r"^```\{include\} (\S+)$", text, re.MULTILINE)]
    glossary = set(re.findall(r"`([^`\n]+)`", "\n".join([text, *included])))
    listed = {name for entry in KEYS for name in re.findall('"([^"]+)"', entry.takes)}
    parts = {name for registry in chain.PARTS.values() for name in registry}
    data = {*(name for known in DATASETS.values() for name in known), *PARTITIONS, NATURAL, *OPTIMIZERS}
    assert {entry.name for entry in KEYS} - glossary == set()
    assert {*listed, *parts, *data, *SCHEMES, *MODELS, *FADING, *UPLINKS, *METHODS} - glossary == set()
    assert {*VARIABLES, *COORDINATES} - glossary == set()


FIELD = ("AirComp", "BAA", "OBDA", "one-bit", "COTAF", "latency", "outage", "Dirichlet", "client", "device")
FIELD += ("aggregator", "server learning rate", "truncation threshold", "sustained crossing", "CSI", "path loss")
FIELD += ("error feedback", "majority vote", "phase compensation", "channel inversion", "communication round")
"""Words by which people of the field look for ours."""
ASKED = """
SNR, signal-to-noise ratio, power, transmit power, energy, non-iid, noniid, unequal, dirichlet, heterogeneity, gpu,
lr, learning rate, batch size, optimizer, mmwave, pathloss, save, export, compare, MIMO, antennas, beamforming, CFO,
phase noise, asynchronous, stragglers, numerology, bandwidth, quantization, compression, sparsification, aircomp,
Byzantine, CSI, obda, devices, doppler, RIS, latency, clients, client selection, dataset, network, privacy, seeds,
cite, save model, resume, cluster, CDL-C, 300 ns, worker selection, channel selection, speed, csv, latex, table,
budget, noise, delay spread, TDL-C
"""
"""Words that people ask the help for, which are words of the glossary itself."""


def test_glossary_has_words_of_the_field():
    words = {word.lower() for term in glossary.terms() for word in term.words}
    assert [term for term in FIELD if not any(term.lower() in word for word in words)] == []
    assert {word.lower() for word in ASKED.strip().replace("\n", " ").split(", ")} <= words
