"""Modules as files: where one is found, without importing it, and which ones are the user's."""

import os
import sys
import sysconfig
from collections.abc import Collection
from importlib.machinery import FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from otafl.errors import OtaflError

OURS = ("otafl", "channels")
"""Packages of which no module is the user's."""
INSTALLED = ("site-packages", "dist-packages")
"""Folders of which no module is the user's."""
LIBRARIES = ("keras", "numpy", "scipy", "sionna", "sklearn", "tensorflow", "xarray")
"""Installed packages that are nobody's own."""
ELSEWHERE = tuple(
    {
        *(str(Path(__file__).parents[2] / package) + os.sep for package in OURS),
        *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "scripts")),
        os.path.dirname(os.__file__) + os.sep,
    }
)
"""Beginnings of paths of which no module is the user's."""


def is_theirs(path: str | Path) -> bool:
    """Return True for a file of the user's: none of Python, of otafl, or of an installed package."""
    whole = os.path.abspath(path)
    return not whole.startswith(ELSEWHERE) and not any(f"{os.sep}{folder}{os.sep}" in whole for folder in INSTALLED)


def counts(name: str, tops: Collection[str]) -> bool:
    """Return if a module that is loaded is the user's, as its file or a session, or lies in one of some packages."""
    file = file_of(sys.modules[name]) if name in sys.modules else None
    return among(name, file, tops) if file else name == "__main__"


def among(name: str, file: Path, tops: Collection[str]) -> bool:
    """Return if a module of a file is the user's, or lies in one of some packages, if these are somebody's own."""
    top = name.partition(".")[0]
    return is_theirs(file) or (top in tops and top not in (*OURS, *LIBRARIES))


def find(name: str) -> Path | None:
    """The file of a module, which is not imported; None: it has none.

    It is searched in the working folder last, as ``plugins`` does.
    """
    spec = _found(name, [*sys.path, os.getcwd()])
    return Path(spec.origin) if spec and spec.has_location and spec.origin else None


def file_of(module: ModuleType) -> Path | None:
    """The file of a module that is loaded; None where it has none, as in a notebook."""
    file = getattr(module, "__file__", None)
    return Path(file) if file and os.path.isfile(file) else None


def require_file(key: str, name: str, file: str | Path | None) -> None:
    """Refuse a module in an archive, of which nothing tells whether it has changed.

    Raises:
        OtaflError: it lies in one.
    """
    if archive := next((one for one in Path(file).parents if one.is_file()), None) if file else None:
        raise OtaflError(key, name, f"lies in the archive {archive.name}; unpack it, and put its folder on PYTHONPATH")


def _found(name: str, folders: list[str]) -> ModuleSpec | None:
    package, _, leaf = name.rpartition(".")
    if not package:
        known = not leaf or leaf in OURS or _is_pythons(leaf)
        return None if known else PathFinder.find_spec(leaf, folders) or of_others(name)
    above = _found(package, folders)
    inside = above and getattr(sys.modules.get(package), "__path__", above.submodule_search_locations)
    if not inside:
        return None
    return PathFinder.find_spec(leaf, list(inside)) or of_others(name, list(inside))


def of_others(name: str, path: list[str] | None = None) -> ModuleSpec | None:
    """The spec of a module that a finder of somebody else's brings, as for packages that are installed as editable."""
    others = [one for one in sys.meta_path if one is not PathFinder and hasattr(one, "find_spec")]
    specs = (one.find_spec(name, path) for one in others if one.__module__.split(".")[0] not in OURS)
    return next(filter(None, specs), None)


def _is_pythons(name: str) -> bool:
    """Return if a module is Python's own wherever it is searched: not a file, or loaded before the user's was found."""
    if name not in sys.stdlib_module_names:
        return False
    file = file_of(sys.modules[name]) if name in sys.modules else None
    elsewhere = name in sys.builtin_module_names or FrozenImporter.find_spec(name) is not None
    return elsewhere or (file is not None and not is_theirs(file))
