"""Loading of the user's modules: the files that they are made of, and whether the running code is that of these files.

A module of the user's is compiled from the bytes whose digest is noted, never from bytecode that Python has cached:
Python recognises that by the second and the size of its source, which another source may share.
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
"""Import of a module's own package, which Python imports before the module: its level and name."""
loaded: dict[str, str] = {}
"""Digests of the sources of modules that this process has compiled, by module."""
made_of: dict[str, dict[str, str]] = {}
"""Digests of the sources of a loaded module and of the modules that it imports, by module; by loaded module."""
imported: dict[str, set[str]] = {}
"""Modules of the user's that were loaded while the statements of a module ran, by that module."""
said: set[str] = set()
"""Modules of the user's that import statements lead to, from the modules that runs name."""
at_load: dict[str, dict[str, str]] = {}
"""Digests of the plain values and functions of modules right after their statements ran, by file and name."""
ours = False
"""True while this process does nothing but a command's work, so that the user's code is that of its files."""
calls = 0
"""Number of studies in this process; between two, the session may change values that the user's code reads."""


@contextlib.contextmanager
def command() -> Iterator[None]:
    """Mark that this process does nothing but a command's work, as a worker process does; a context manager.

    User's modules then have the values of their files, as no script or notebook changes them.
    """
    global ours
    before, ours = ours, True
    try:
        yield
    finally:
        ours = before


def begin_study() -> None:
    """Count the begin of a study in this process, so that no compiled program of an earlier study is reused with user's
    code."""
    global calls
    calls += 1


class Names(threading.local):
    """Names of the modules that a thread is importing, in the list ``names`` of its own; empty at first."""

    def __init__(self) -> None:
        self.names: list[str] = []


_under_way = Names()
"""Modules whose statements a thread is running, each imported by the one before."""


class Source(NamedTuple):
    """Source file of a module, with its digest and imports.

    Arguments:
        path: path of the file.
        digest: SHA-256 digest of its content, in hexadecimal.
        imports: level and dotted name of each import in it; level 0 is an absolute import.
    """

    path: Path
    digest: str
    imports: tuple[tuple[int, str], ...]


class Changed(OtaflError):
    """Error of a file of the user's that has changed since its module was loaded.

    Arguments:
        key: scenario key that names the module.
        file: name of the file.
    """

    def __init__(self, key: str, file: str) -> None:
        self.key, self.file = key, file
        super().__init__(key, file, "has changed since it was imported; import it again in a new process")


class FromSource(SourceFileLoader):
    """Loader of a user's module from its source file, never from cached bytecode; notes the digest of the source."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the statements of a module, and note the digests of its source and of the user's modules that it imports.

        Arguments:
            module: new module, without content.
        """
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
    """Finder of modules for ``sys.meta_path``; it finds them as Python does, and has the user's loaded from their
    sources."""

    @staticmethod
    def find_spec(name: str, path: list[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module, by which Python loads it; None: no file holds it.

        Arguments:
            name: dotted name of the module.
            path: folders of its package; None: the search path of Python.
            target: module that is loaded again; None: there is none.
        """
        spec = PathFinder.find_spec(name, path, target) or module_files.of_others(name, path)
        if spec and type(spec.loader) is SourceFileLoader and module_files.is_theirs(spec.loader.path):
            spec.loader = FromSource(name, spec.loader.path)
        return spec


if not any(getattr(finder, "__module__", "") == __name__ for finder in sys.meta_path):
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Finder)  # pyright: ignore[reportArgumentType]


def digests(key: str, name: str, path: Path) -> dict[str, str]:
    """Return the digests of a module's file and of all the user's modules that it imports, directly or not.

    Arguments:
        key: scenario key that names the module, for errors.
        name: name of the module.
        path: file of the module.

    Returns:
        SHA-256 digests in hexadecimal, by name of the module.

    Raises:
        Changed: a file has changed since its module was loaded.
        OtaflError: a module was imported without an import statement, or may differ from its file.
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
    """Refuse results of a process that has loaded a user's module to which no import statement leads.

    Arguments:
        key: scenario key for the error.

    Raises:
        OtaflError: names the module.
    """
    if hidden := sorted(loaded.keys() - said):
        rule = "was imported without an import statement that leads to it; write one, and start a new process"
        raise OtaflError(key, hidden[0], rule)


def changed_values() -> Iterator[tuple[str, str]]:
    """Yield the values in user's modules that this process has changed since they were loaded.

    A script's statements still run, so that all values count that its functions name.

    Returns:
        Iterator of pairs: "file: name" of the value, and its digest, 16 hexadecimal digits (``plain_values.digest``).
    """
    for name in sorted(said & sys.modules.keys()):
        module, file = sys.modules[name], str(module_files.file_of(sys.modules[name]))
        before, now = at_load.get(file), _held(module)
        named = _named(module) if name == "__main__" else now.keys() if before is not None else ()
        changed = [one for one in sorted(named) if one in now and (before or {}).get(one) != now[one]]
        yield from ((f"{file}: {one}", now[one]) for one in changed)


def require_as_loaded(key: str, what: str, digest: str, rule: str) -> None:
    """Refuse a value in a user's module that another process has changed, if this process has another value there.

    Arguments:
        key: key of the error.
        what: the module's file and the name of the value, as "file: name".
        digest: digest of the value in the other process (``plain_values.digest``).
        rule: rule that the value breaks, in words, for the error.

    Raises:
        OtaflError: the digests differ.
    """
    file, _, name = what.rpartition(": ")
    if at_load.get(file, {}).get(name, digest) != digest:
        raise OtaflError(key, f"{Path(file).name}: {name}", rule)


def _held(module: ModuleType) -> dict[str, str]:
    """Return the digests of the plain values and functions of a module, by name."""
    held = [(name, value) for name, value in list(vars(module).items()) if not name.startswith("__")]
    return {name: digest for name, value in held if (digest := plain_values.digest(value))}


def _named(module: ModuleType) -> set[str]:
    """Return the names in the code of a module's functions and of its classes' methods."""
    held = [value for value in list(vars(module).values()) if getattr(value, "__module__", "") == module.__name__]
    methods = [one for made in held if isinstance(made, type) for one in vars(made).values()]
    codes = [one.__code__ for one in (*held, *methods) if isinstance(one, FunctionType)]
    return set().union(*(code.co_names for code in codes))


def _require_said(key: str, module: str, found: Collection[str]) -> None:
    """Refuse a module that has imported a module of the user's without an import statement.

    Raises:
        OtaflError: names the imported module.
    """
    held = {_home(value) for name, value in list(vars(sys.modules[module]).items()) if name != "__builtins__"}
    others = {one for one in held - {"__main__"} if not one.startswith(f"{module}.")}
    outside = {one for one in others if module_files.counts(one, ())}
    if hidden := sorted((imported.get(module, set()) | outside) - set(found)):
        rule = f"imports {hidden[0]} without an import statement; write import {hidden[0]}, and start a new process"
        raise OtaflError(key, module, rule)


def _home(value: object) -> str:
    """Return the name of the module that an object is, or that defines it or its class."""
    if isinstance(value, ModuleType):
        return value.__name__
    value = value.func if isinstance(value, functools.partial) else value
    made = value if isinstance(value, FunctionType | type) else type(value)
    return str(made.__module__)


def _require_older(key: str, module: str, path: Path) -> None:
    """Refuse a module that was compiled before otafl was imported, unless its file is older than this process.

    Raises:
        OtaflError: the file is newer.
    """
    if module not in loaded and path.stat().st_ctime > STARTED + TOLERANCE_S:
        rule = "was written while this process ran, and what was imported may be older"
        raise OtaflError(key, path.name, f"{rule}; import otafl first, or start a new process")


def _started() -> float:
    """Return the time at which this process began [s since 1970]; an upper bound if the system does not tell."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return time.time() - time.process_time()


STARTED, TOLERANCE_S = _started(), 2.0
"""Start of this process [s since 1970], and the accuracy of the times of files [s]."""


def _as_loaded(name: str, path: Path) -> dict[str, str]:
    """Return the digests of a module and of its imports, as loaded by this process, else as the files are now."""
    here = {module: loaded[module] for module in loaded.keys() & sys.modules.keys()}
    return {module: here.get(module, source.digest) for module, source in sources(name, path).items()}


def sources(name: str, path: Path) -> dict[str, Source]:
    """Return the sources of a module and of all the user's modules that it imports, directly or not.

    Arguments:
        name: name of the module.
        path: file of the module.

    Returns:
        Source file, digest and imports of each module, by its name.

    Raises:
        OSError: a file cannot be read.
    """
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
    """Yield the dotted names that a module imports, and their packages; not all of them are modules."""
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
    """Return the imports anywhere in a module, as levels and dotted names."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # which whoever imports it is told
        return ()
    plain = [(0, alias.name) for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    of = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return (*plain, *((node.level, f"{node.module or ''}.{alias.name}") for node in of for alias in node.names))
