"""The pages of the documentation, run as they are written: files, commands and Python, in order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(path for path in DOCS.glob("*.md") if BLOCK.search(path.read_text(encoding="utf-8")))
LONG = ("tutorial", "my-data", "my-figure", "my-channel", "my-method", "results")
"""Pages that take up to a minute each."""
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
        if kind == "python":
            lines.append(content)
        if kind == "console":
            commands = [line.removeprefix("$ ").split() for line in content.splitlines() if line.startswith("$ ")]
            lines += [COMMAND.format(words=words) for words in commands]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page.stem in LONG else [], id=page.stem) for page in PAGES]
)
def test_page_does_what_it_says(page, tmp_path):
    shutil.copy(DOCS / "examples" / "my_schemes.py", tmp_path)
    (tmp_path / "page.py").write_text(program(page.read_text(encoding="utf-8")), encoding="utf-8")
    environment = os.environ | {"MPLBACKEND": "Agg", "OTAFL_STORE_DIR": str(tmp_path / "store")}
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-3000:]


def test_pages_have_something_to_run():
    assert {page.stem for page in PAGES} >= {"tutorial", "my-data", "my-method", "my-channel", "my-figure"}


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
