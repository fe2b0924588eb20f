"""Files that a file of Python imports from beside it, in its folder or package; nothing is imported to find them."""

import ast
import functools
import hashlib
import os
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from itertools import takewhile
from pathlib import Path

OURS = frozenset({"otafl", "keras", "numpy", "scipy", "sionna", "sklearn", "tensorflow", "xarray"})
"""otafl and libraries that it stands on, whose modules are never the user's."""
Files = dict[Path, tuple[str, str]]
"""Files by absolute path: the path as seen from the first file, and the SHA-256 digest of the content, hexadecimal."""


def files(first: Path) -> Files:
    """Return a file and the files beside it that it imports, directly or through others.

    Beside a file are those of its folder, of its package and of the package's folder, and of the folders therein. Where
    that folder holds installed packages, the file's own package alone is beside it.
    """
    known, waiting = Files(), [Path(os.path.abspath(first))]
    folder = waiting[0].parent
    while waiting:
        path = waiting.pop()
        if path not in known:
            content = path.read_bytes() if os.access(path, os.R_OK) else b""
            known[path] = os.path.relpath(path, folder), hashlib.sha256(content).hexdigest()
            waiting += _imported(path, content)
    return known


def _imported(path: Path, content: bytes) -> Iterator[Path]:
    """Yield the files beside a file that its import statements name, and those of the packages that it lies in."""
    packages = list(takewhile(Path.is_file, (folder / "__init__.py" for folder in path.parents)))
    yield from packages
    root = path.parents[len(packages)]
    beside = {path.parent, root} - ({root} if any(root.glob("*.dist-info")) else set())
    for level, name in _statements(content) if path.suffix == ".py" else ():
        top = name.partition(".")[0]
        absolute = beside | {folder.parent for folder in path.parents if folder.name == top} if top not in OURS else ()
        for folder in path.parents[level - 1 : level] if level else absolute:
            yield from _modules(folder, name)


def _modules(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files of a dotted name and of its packages, searched in a folder; the last part may be no module."""
    for part in filter(None, name.split(".")):
        if part == "*":  # brings the modules that the package lists, too
            yield from folder.glob("*.py")
        stems = folder / part / "__init__", folder / part
        yield from filter(Path.is_file, (Path(f"{stem}{suffix}") for stem in stems for suffix in all_suffixes()))
        folder = folder / part


def nodes(content: bytes) -> list[ast.AST]:
    """Return the nodes of a file's syntax tree; none where it has no syntax of Python's."""
    try:
        return list(ast.walk(ast.parse(content)))
    except (SyntaxError, ValueError, RecursionError):
        return []


@functools.lru_cache(maxsize=4096)
def _statements(content: bytes) -> tuple[tuple[int, str], ...]:
    """Return the imports anywhere in a file, as levels and dotted names; level 0 is an absolute import."""
    tree = nodes(content)
    plain = [(0, alias.name) for node in tree if isinstance(node, ast.Import) for alias in node.names]
    of = [node for node in tree if isinstance(node, ast.ImportFrom)]
    return (*plain, *((node.level, f"{node.module or ''}.{alias.name}") for node in of for alias in node.names))
