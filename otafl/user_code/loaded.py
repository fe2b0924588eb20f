"""Code of the user's own as files: which modules it is made of, and whether what runs is what these files hold.

A module of the user's is compiled from the bytes of which the digest is noted, never from a compilation that Python has
kept: that one is told apart by the second and the size of its source, which another source may share.
"""

import ast
import contextlib
import functools
import hashlib
import os
import sys
import threading
import time
from collections.abc import Collection, Iterator
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import NamedTuple

from otafl.errors import OtaflError
from otafl.user_code import module_files, plain_values

ITSELF = (1, "")
"""Import of the package in which a module lies, which Python imports before the module."""
loaded: dict[str, str] = {}
"""Digests of the sources of modules that were compiled here, by name."""
made_of: dict[str, dict[str, str]] = {}
"""Digests of the sources that a loaded module is made of, by name: of itself and of what it imports."""

imported: dict[str, set[str]] = {}
"""Modules of the user's that were loaded while a loaded module's statements ran, by its name."""
said: set[str] = set()
"""Modules of the user's that import statements lead to from those that runs name."""
at_load: dict[str, dict[str, str]] = {}
"""Digests of the plain values and functions that modules held once their statements had run, by file and name."""
ours = False
"""True while this process does nothing but a command's work, so that code of the user's is as its files say."""
calls = 0
"""Number of studies in this process, each of which may have set anew what code of the user's reads."""


@contextlib.contextmanager
def command() -> Iterator[None]:
    """A context in which this process does a command's work, as a worker process does."""
    global ours
    before, ours = ours, True
    try:
        yield
    finally:
        ours = before


def anew() -> None:
    """Begin a study, for which no program with code of the user's is taken from an earlier one."""
    global calls
    calls += 1


class _UnderWay(threading.local):
    """Modules whose statements a thread runs, each imported by the one before."""

    def __init__(self) -> None:
        self.names: list[str] = []


_under_way = _UnderWay()


class Source(NamedTuple):
    """A file of a module: where it is, a digest of what it holds, and what it imports."""

    path: Path
    digest: str
    imports: tuple[tuple[int, str], ...]


class Changed(OtaflError):
    """A file of the user's own that is not what it was when its module was loaded."""

    def __init__(self, key: str, file: str) -> None:
        self.key, self.file = key, file
        super().__init__(key, file, "has changed since it was imported; import it anew, or begin anew")


class FromSource(SourceFileLoader):
    """Loads a module from its source, of which it notes the digest."""

    def exec_module(self, module: ModuleType) -> None:
        source, name, path = self.get_data(self.path), module.__name__, Path(self.path)
        loaded[name] = hashlib.sha256(source).hexdigest()
        made_of[name] = _as_loaded(name, path)
        for importing in _under_way.names:
            imported[importing].add(name)
        imported.setdefault(name, set())
        _under_way.names.append(name)
        try:
            exec(self.source_to_code(source, self.path), module.__dict__)
        except BaseException:
            made_of[name] = {name: ""}  # partly of this source, and no digest stands for that
            raise
        finally:
            _under_way.names.pop()
        made_of[name] = _as_loaded(name, path)
        at_load[self.path] = _held(module)


class Finder:
    """Finds modules as Python does, and loads those of the user's own from their sources."""

    @staticmethod
    def find_spec(name: str, path: list[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of a module; None: it is not among files."""
        spec = PathFinder.find_spec(name, path, target) or module_files.of_others(name, path)
        if spec and type(spec.loader) is SourceFileLoader and module_files.is_theirs(spec.loader.path):
            spec.loader = FromSource(name, spec.loader.path)
        return spec


if not any(getattr(finder, "__module__", "") == __name__ for finder in sys.meta_path):
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Finder)  # pyright: ignore[reportArgumentType]


def digests(key: str, name: str, path: Path) -> dict[str, str]:
    """Digests of the files of a module and of the user's modules that it imports, and these in turn, by module.

    Arguments:
        key: of the scenario, that names the module.
        name: of the module.
        path: its file.

    Raises:
        Changed: one of them is loaded, and a file that it was made of has changed since.
        OtaflError: one of them has imported what no statement says, or may be another than its file.
    """
    found = sources(name, path)
    for module in sorted(found.keys() & sys.modules.keys()):
        _require_said(key, module, found)
        if module not in made_of:
            _require_older(key, module, found[module].path)
            made_of[module] = _as_loaded(module, module_files.file_of(sys.modules[module]) or found[module].path)
        for other, digest in made_of[module].items():
            if other not in found or found[other].digest != digest:
                raise Changed(key, found[other].path.name if other in found else other)
    return {module: source.digest for module, source in found.items()}


def require_all_said(key: str) -> None:
    """Refuse what a process has computed that has loaded a module of the user's of which no statement says so.

    Raises:
        OtaflError: it has.
    """
    if hidden := sorted(loaded.keys() - said):
        rule = "was imported, and no import statement that leads to it says so; write one, and begin anew"
        raise OtaflError(key, hidden[0], rule)


def set_anew() -> Iterator[tuple[str, str]]:
    """Return what modules of the user's hold that this process has changed since they were loaded, with digests.

    Of a script, whose statements go on, it is all that its functions name.
    """
    for name in sorted(said & sys.modules.keys()):
        module, file = sys.modules[name], str(module_files.file_of(sys.modules[name]))
        before, now = at_load.get(file), _held(module)
        named = _named(module) if name == "__main__" else now.keys() if before is not None else ()
        yield from (
            (f"{file}: {one}", now[one]) for one in sorted(named) if one in now and (before or {}).get(one) != now[one]
        )


def require_as_loaded(key: str, what: str, digest: str, rule: str) -> None:
    """Refuse a value that a module of this process was loaded with, where another process has set it anew.

    Raises:
        OtaflError: it has another digest here.
    """
    file, _, name = what.rpartition(": ")
    if at_load.get(file, {}).get(name, digest) != digest:
        raise OtaflError(key, f"{Path(file).name}: {name}", rule)


def _held(module: ModuleType) -> dict[str, str]:
    """Digests of the plain values and functions of a module, by name."""
    found = {
        name: plain_values.digest(value) for name, value in list(vars(module).items()) if not name.startswith("__")
    }
    return {name: digest for name, digest in found.items() if digest}


def _named(module: ModuleType) -> set[str]:
    """Names in the code of a module's own functions and of its classes' methods."""
    held = [value for value in list(vars(module).values()) if getattr(value, "__module__", "") == module.__name__]
    methods = [one for made in held if isinstance(made, type) for one in vars(made).values()]
    codes = [one.__code__ for one in (*held, *methods) if isinstance(one, FunctionType)]
    return set().union(*(code.co_names for code in codes))


def _require_said(key: str, module: str, found: Collection[str]) -> None:
    """Refuse a module that has imported one of the user's of which no process knows before.

    Raises:
        OtaflError: it has.
    """
    held = {_home(value) for name, value in list(vars(sys.modules[module]).items()) if name != "__builtins__"}
    outside = {
        one for one in held if not one.startswith(f"{module}.") and one != "__main__" and module_files.counts(one, ())
    }
    if hidden := sorted((imported.get(module, set()) | outside) - set(found)):
        rule = f"imports {hidden[0]}, and no import statement says so; write import {hidden[0]}, and begin anew"
        raise OtaflError(key, module, rule)


def _home(value: object) -> str:
    """Name of the module that an object is, or that defines it or its class."""
    if isinstance(value, ModuleType):
        return value.__name__
    value = value.func if isinstance(value, functools.partial) else value
    made = value if isinstance(value, FunctionType | type) else type(value)
    return str(made.__module__)


def _require_older(key: str, module: str, path: Path) -> None:
    """Refuse a module of which nobody knows the source, unless its file is older than this process.

    Raises:
        OtaflError: it is not.
    """
    if module not in loaded and path.stat().st_ctime > STARTED + TOLERANCE_S:
        rule = (
            "was written while this process ran, and what was imported may be older; import otafl first, or begin anew"
        )
        raise OtaflError(key, path.name, rule)


def _started() -> float:
    """Seconds since the epoch at which this process began; at the latest, where the system does not say."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return time.time() - time.process_time()


STARTED, TOLERANCE_S = _started(), 2.0


def _as_loaded(name: str, path: Path) -> dict[str, str]:
    """Digests of the files of a module and of what it imports, as they were loaded, or else as they are now."""
    here = {module: loaded[module] for module in loaded.keys() & sys.modules.keys()}
    return {module: here.get(module, source.digest) for module, source in sources(name, path).items()}


def sources(name: str, path: Path) -> dict[str, Source]:
    """The files of a module and of the user's modules that it imports, and these in turn, by module."""
    found, waiting, tops = {name: _source(path)}, [name], name.split(".")[:1]
    while waiting:
        importing = waiting.pop()
        for module in _imported(found[importing], importing):
            file = None if module in found else module_files.find(module)
            if file and module_files.among(module, file, tops):
                found[module] = _source(file)
                waiting.append(module)
    said.update(found)
    return found


def _imported(source: Source, name: str) -> Iterator[str]:
    """Names of what a module imports, and of the packages in which that lies; not all of them are modules."""
    package = name if source.path.stem == "__init__" else name.rpartition(".")[0]
    package = (sys.modules[name].__package__ or "") if name == "__main__" else package
    for level, module in (ITSELF, *source.imports):
        above = package.split(".")[: package.count(".") + 2 - level] if level and package else []
        parts = [*above, *filter(None, module.split("."))] if above or not level else []
        yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _source(path: Path) -> Source:
    held = path.read_bytes()
    return Source(path, hashlib.sha256(held).hexdigest(), _statements(held) if path.suffix == ".py" else ())


@functools.lru_cache(maxsize=512)
def _statements(source: bytes) -> tuple[tuple[int, str], ...]:
    """Imports of a module, wherever in it: levels of relative ones, and dotted names."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # which whoever imports it is told
        return ()
    plain = [(0, alias.name) for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    of = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return (*plain, *((node.level, f"{node.module or ''}.{alias.name}") for node in of for alias in node.names))
