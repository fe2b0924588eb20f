"""Modules of the user's: their files, and whether these still hold what this process has imported."""

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from otafl.channels import class_origins
from otafl.user_code import files_beside
from otafl.user_code.files_beside import OURS, Files

PYTHONS = os.path.dirname(os.__file__) + os.sep
"""Folder of Python's own modules; one of the user's may have the name of one of these."""
SESSIONS = ("__main__", "__mp_main__")
"""Names of the module of a script or a notebook, which no other process has."""
FROM_FILE = "otafl_plugin_"
"""Prefix of the name of a module that was loaded from a file by its path."""
studies = 0
"""Number of studies of this process, in each of which programs with the user's code are traced anew."""
_imported: dict[str, str] = {}
"""Digests of the user's files as this process has imported them, by real path."""


def theirs(names: Iterable[str]) -> set[str]:
    """Return those of some names of modules that are the user's, not Python's, otafl's or of a library of otafl's."""
    tops = {name: name.partition(".")[0] for name in names if name}
    alike = [name for name, top in tops.items() if top in sys.stdlib_module_names]
    pythons = {name for name in alike if str(file_of(name) or PYTHONS).startswith(PYTHONS)}
    return {name for name, top in tops.items() if top not in OURS} - pythons


def is_theirs(file: str) -> bool:
    """Return True for the path of a file that holds a loaded module of the user's."""
    loaded = list(sys.modules.items())
    return bool(theirs(name for name, module in loaded if getattr(module, "__dict__", {}).get("__file__") == file))


def of_part(part: Any) -> set[str]:
    """Return the names of the user's modules in which a part is defined and registered; empty for otafl's own."""
    if part.__module__ in (None, "builtins"):  # as exec leaves it
        return {"__main__"}
    bases = getattr(part, "__mro__", (part,))
    return theirs(name for base in bases for name in (base.__module__, class_origins.of.get(base, "")))


def file_of(name: str) -> Path | None:
    """Return the file of a module, imported or not; None: it is a script, or has no file, as a notebook."""
    if name in SESSIONS:
        return None
    file = getattr(sys.modules[name], "__file__", None) if name in sys.modules else found(name)
    return Path(file) if file and os.path.isfile(file) else None


def found(name: str) -> str | None:
    """Return the path of a module's file on Python's path, or else in the working folder, now; None: there is none."""
    top, *below = name.split(".")
    specs = (finder.find_spec(top, None) for finder in sys.meta_path if hasattr(finder, "find_spec"))
    spec = next(filter(None, specs), None) or PathFinder.find_spec(top, [os.getcwd()])
    places = list((spec and spec.submodule_search_locations) or [])
    for part in below:
        top, spec, folders = f"{top}.{part}", None, [os.path.join(place, part) for place in places]
        with contextlib.suppress(KeyError):  # a package without __init__.py, whose parent is not imported
            spec = PathFinder.find_spec(top, places)
        places = [os.path.dirname(spec.origin)] if spec and spec.origin else folders
    return spec.origin if spec and spec.has_location else None


def files(names: Iterable[str]) -> Files:
    """Return the files of some modules and the files beside them that they import; modules without a file have none."""
    firsts = [file for name in names if (file := file_of(name))]
    return {path: about for first in firsts for path, about in files_beside.files(first).items()}


def note(name: str, runs: bool = False) -> None:
    """Note the digests of the files of a module that is imported next, or whose statements run already (``runs``)."""
    noted, main = files([name]), os.path.realpath(file_of(name) or "")
    loaded = _loaded(noted)
    for path, (_, digest) in noted.items():
        real = os.path.realpath(path)
        if real not in loaded or (runs and real == main):
            _imported[real] = digest


def _loaded(some: Files) -> set[str]:
    """Return the real paths of loaded modules whose files have the names of some files."""
    ends, names = tuple({f"{os.sep}{path.name}" for path in some}), list(sys.modules) if some else []
    held = [getattr(sys.modules.get(name), "__dict__", {}) for name in names]  # as attributes may be lazy
    return {os.path.realpath(file) for module in held if (file := str(module.get("__file__"))).endswith(ends)}


def changed(some: Files, surely: bool = True) -> list[str]:
    """Return the names of those files that do not hold what this process has imported, sorted."""
    now = {os.path.realpath(path): digest for path, (_, digest) in some.items()}
    loaded = _loaded(some) & now.keys()
    differing = {file for file in loaded if _imported.get(file, now[file]) != now[file]}
    maybe = () if surely else {file for file in loaded - _imported.keys() if os.stat(file).st_ctime > STARTED}
    return sorted(os.path.basename(file) for file in differing.union(maybe))


def _began() -> float:
    """Return a time shortly before this process began [s since 1970]; 0 where the system does not tell."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK") - 1
    except (OSError, AttributeError):
        return 0.0


STARTED = _began()


def _note_part(part: Any) -> None:
    for name in of_part(part) & sys.modules.keys():
        note(name, runs=True)


class_origins.heard.append(_note_part)
