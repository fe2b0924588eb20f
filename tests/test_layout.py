"""The project's own rules: import direction, maps that are whole, short functions."""

import ast
import re
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LARGEST = 400_000
"""Bytes of a figure, or of an archive of computed results."""
SOURCES = [path for room in ("channels", "otafl", "figures") for path in (ROOT / room).rglob("*.py")]


def imported(nodes: Iterable[ast.AST]) -> Iterator[list[str]]:
    """Yield packages, modules and names that nodes of a file import, from the outermost one on."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}".split(".") for alias in node.names)


@pytest.mark.parametrize(("room", "forbidden"), [("channels", {"otafl", "figures"}), ("otafl", {"figures"})])
def test_imports_point_one_way(room, forbidden):
    for path in (ROOT / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not {names[0] for names in imported(ast.walk(tree))} & forbidden, path


def rooms(heading: str) -> list[str]:
    """Files and folders that a table of docs/development/architecture.md maps, in its order."""
    text = (DOCS / "development" / "architecture.md").read_text(encoding="utf-8").split(f"### {heading}\n")[1]
    rows = [line.split("|")[1] for line in text.split("\n#")[0].splitlines() if line.startswith("| `")]
    return [name.rstrip("/") for row in rows for name in re.findall("`([^`]+)`", row)]


ORDER = [name for name in rooms("otafl") if "/" not in name]
"""Parts of otafl, each of which imports only from those after it."""
ANNOTATIONS = {
    "compressors": {"algorithms", "settings", "uplinks"},
    "receivers": {"algorithms", "settings", "uplinks"},
    "losses": {"settings"},
    "metrics": {"algorithms"},
    "federation": {"settings"},
}
"""Parts above a part that its annotations name, in blocks that only type checkers read."""


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those of blocks that only type checkers read."""
    if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _run(child)


def parts_imported(nodes: Iterable[ast.AST]) -> set[str]:
    """Parts of otafl that nodes of a file import anything from."""
    return {names[1] for names in imported(nodes) if names[0] == "otafl" and len(names) > 1}


def files_of(part: str) -> list[Path]:
    folder = ROOT / "otafl" / part
    return [folder.with_suffix(".py")] if folder.with_suffix(".py").is_file() else list(folder.rglob("*.py"))


def test_maps_of_otafl_and_channels_are_whole():
    assert all((ROOT / "otafl" / name).is_dir() for name in rooms("otafl") if "/" in name)
    inside = {
        path.stem for path in (ROOT / "channels").glob("*") if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert set(rooms("channels")) == inside - {"__init__"}
    files = {path.stem for path in (ROOT / "otafl").glob("*.py")} - {"__init__"}
    assert sorted(files | {path.parent.name for path in (ROOT / "otafl").glob("*/__init__.py")}) == sorted(ORDER)


@pytest.mark.parametrize("part", ORDER)
def test_parts_of_otafl_import_downwards(part):
    above = set(ORDER[: ORDER.index(part)])
    for path in files_of(part):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not parts_imported(_run(tree)) & above, path
        assert parts_imported(ast.walk(tree)) & above <= ANNOTATIONS.get(part, set()), path


def test_functions_are_short():
    """Statements in the median function under 8 lines, in 90% under 30, docstrings not counted."""
    lengths = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lengths.append(body[-1].end_lineno - body[0].lineno + 1 if body else 0)
    assert statistics.median(lengths) < 8
    assert statistics.quantiles(lengths, n=10)[-1] < 30


def test_files_that_pages_name_are_there():
    for page in (ROOT / "CONTRIBUTING.md", ROOT / "README.md", *DOCS.glob("*/*.md")):
        rooms = r"\b(?:channels|otafl|tests|figures|benchmarks|scenarios|docs)/[\w/.-]*\w"
        named = re.findall(rooms, page.read_text(encoding="utf-8"))
        assert [name for name in named if not (ROOT / name).exists()] == [], page


def test_what_is_kept_of_the_gallery_is_small():
    assert [
        path
        for path in (ROOT / "figures").rglob("*")
        if path.suffix in (".png", ".zip") and path.stat().st_size > LARGEST
    ] == []
