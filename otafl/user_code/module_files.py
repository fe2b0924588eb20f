"""Files of modules, found without importing them, and the distinction of the user's from others."""

import os
import sys
import sysconfig
from collections.abc import Collection
from importlib.machinery import FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from otafl.errors import OtaflError

OURS = ("otafl",)
"""Packages whose modules are not the user's."""
INSTALLED = ("site-packages", "dist-packages")
"""Folders whose modules are not the user's."""
LIBRARIES = ("keras", "numpy", "scipy", "sionna", "sklearn", "tensorflow", "xarray")
"""Installed packages that are never the user's."""
ELSEWHERE = tuple(
    {
        *(str(Path(__file__).parents[2] / package) + os.sep for package in OURS),
        *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "scripts")),
        os.path.dirname(os.__file__) + os.sep,
    }
)
"""Prefixes of paths of modules that are not the user's."""


def is_theirs(path: str | Path) -> bool:
    """Return True if a file is the user's: not of Python, of otafl or of an installed package.

    Arguments:
        path: path of a module's file.
    """
    whole = os.path.abspath(path)
    return not whole.startswith(ELSEWHERE) and not any(f"{os.sep}{folder}{os.sep}" in whole for folder in INSTALLED)


def counts(name: str, tops: Collection[str]) -> bool:
    """Return True if a loaded module is the user's, a script's or a notebook's, or lies in one of some packages.

    Arguments:
        name: dotted name of the module.
        tops: top-level packages whose modules count as the user's wherever they are installed.
    """
    file = file_of(sys.modules[name]) if name in sys.modules else None
    return among(name, file, tops) if file else name == "__main__"


def among(name: str, file: Path, tops: Collection[str]) -> bool:
    """Return True if a module is the user's by its file, or lies in one of some packages.

    Arguments:
        name: dotted name of the module.
        file: file of the module.
        tops: top-level packages whose modules count as the user's wherever they are installed.
    """
    top = name.partition(".")[0]
    return is_theirs(file) or (top in tops and top not in (*OURS, *LIBRARIES))


def find(name: str) -> Path | None:
    """Return the file of a module without importing it; None: it has none.

    The search path of Python is searched, and the working folder last, as in ``plugins``.

    Arguments:
        name: dotted name of the module.
    """
    spec = _found(name, [*sys.path, os.getcwd()])
    return Path(spec.origin) if spec and spec.has_location and spec.origin else None


def file_of(module: ModuleType) -> Path | None:
    """Return the file of a loaded module; None: it has none, as in a notebook.

    Arguments:
        module: loaded module, such as one of ``sys.modules``.
    """
    file = getattr(module, "__file__", None)
    return Path(file) if file and os.path.isfile(file) else None


def require_file(key: str, name: str, file: str | Path | None) -> None:
    """Refuse a module in an archive, whose changes are not noticed.

    Arguments:
        key: scenario key that names the module.
        name: name of the module.
        file: path of its file; None: it has none.

    Raises:
        OtaflError: the file lies in an archive.
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
    """Return the spec of a module from a finder other than Python's, as of a package installed as editable.

    Arguments:
        name: dotted name of the module.
        path: folders of its package; None: the module is in no package.

    Returns:
        Spec by which Python loads the module; None: no finder has it.
    """
    others = [one for one in sys.meta_path if one is not PathFinder and hasattr(one, "find_spec")]
    specs = (one.find_spec(name, path) for one in others if one.__module__.split(".")[0] not in OURS)
    return next(filter(None, specs), None)


def _is_pythons(name: str) -> bool:
    """Return True if a name is a module of Python wherever it is searched: built in, or loaded already."""
    if name not in sys.stdlib_module_names:
        return False
    file = file_of(sys.modules[name]) if name in sys.modules else None
    elsewhere = name in sys.builtin_module_names or FrozenImporter.find_spec(name) is not None
    return elsewhere or (file is not None and not is_theirs(file))
