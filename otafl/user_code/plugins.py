"""Import of the user's plugins and functions, and digests of their files."""

import contextlib
import hashlib
import importlib.util
import os
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError
from otafl.user_code import loaded, module_files

KEY = "plugins"
FROM_FILE = "otafl_plugin_"
"""Prefix of the name of a module that was loaded from a file by its path."""
NOT_HERE = (
    "is unknown to worker processes, which do not run the statements of a script or a session; put it "
    "in a module, or compute in this process, with engine='in_process'"
)
_lock = threading.RLock()
_searched: Counter[str] = Counter()
"""Number of contexts that need each folder, which is on the search path while there are some."""


def _in_fork() -> None:
    """Renew the lock in a fork, as a thread that is not in it may have held the old one."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_in_fork)


_loading = loaded.Names()
"""Names of the plugins that a thread is importing."""


@contextlib.contextmanager
def from_working_folder() -> Iterator[None]:
    """Append the working folder to Python's search path; a context manager.

    It is searched after all other folders, so that its files hide no module.
    """
    folder = str(Path.cwd())
    with _lock:
        ours = _searched[folder] > 0 or folder not in sys.path
        sys.path += [folder] if folder not in sys.path else []
        _searched[folder] += ours
    try:
        yield
    finally:
        with _lock:
            _searched[folder] -= ours
            if not _searched[folder]:
                del _searched[folder]
                sys.path[:] = [entry for entry in sys.path if entry != folder or not ours]


def load(names: Any) -> None:
    """Import the user's modules (plugins), whose statements register methods and parts.

    Arguments:
        names: list or tuple of names of modules, or paths of files that end in ``.py``.

    Raises:
        OtaflError: ``names`` is no list of names, or a module cannot be imported.
    """
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise OtaflError(KEY, names, 'must list modules, as ["my_schemes"], or paths of files that end in .py')
    for name in names:
        _load(name)


def _load(name: str) -> None:
    """Import a module, or a file, while no other thread imports one."""
    with _lock:
        _loading.names.append(name)
        try:
            with from_working_folder():
                if name.endswith(".py"):
                    _from_file(Path(name))
                elif not _runs(getattr(importlib.util.find_spec(name), "origin", None)):
                    _require_the_same(name)
                    importlib.import_module(name)
        except OtaflError as error:
            raise OtaflError(KEY, name, str(error)) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            hint = "; a path ends in .py" if "/" in name and not name.endswith(".py") else ""
            raise OtaflError(KEY, name, f"cannot be imported: {why(error)}{hint}") from None
        finally:
            _loading.names.pop()


def _from_file(path: Path) -> None:
    """Import a file, unless it is imported already or is the running script."""
    known = _known(path)
    if known in sys.modules or _runs(str(path)):
        return
    if not path.is_file():
        raise ImportError(f"there is no such file in {Path.cwd()}")
    whole = str(path.absolute())
    spec = importlib.util.spec_from_file_location(known, whole, loader=loaded.FromSource(known, whole))
    assert spec
    assert spec.loader
    sys.modules[known] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known]
        raise


def _known(path: Path) -> str:
    """Return the module name of a file that is loaded by its path."""
    return FROM_FILE + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]


def _require_the_same(name: str) -> None:
    """Refuse a module that was loaded from another file than its name leads to now.

    Raises:
        ImportError: names both files.
    """
    found, held = module_files.find(name), module_files.file_of(sys.modules[name]) if name in sys.modules else None
    if found and held and found.resolve() != held.resolve():
        raise ImportError(f"{held} is loaded under that name, not {found}; take another name, or start a new process")


def _runs(path: str | None) -> bool:
    """Return True if a file is the running script."""
    running = getattr(sys.modules["__main__"], "__file__", None)
    return bool(path and running) and Path(str(running)).resolve() == Path(str(path)).resolve()


@contextlib.contextmanager
def contained(method: str) -> Iterator[None]:
    """Turn an exception of the user's code that would end the process into an error; a context manager.

    Arguments:
        method: name of the method whose runs need the code, for the error.

    Raises:
        OtaflError: the code raised SystemExit or another exception that is neither Exception nor KeyboardInterrupt.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise OtaflError("method", method, f"code that its runs need fails: {why(error)}") from None


def require_none_loading(what: str) -> None:
    """Refuse an action while this thread imports a plugin.

    Arguments:
        what: the action, in words.

    Raises:
        OtaflError: names the plugin that is being imported.
    """
    for name in _loading.names[-1:]:
        raise OtaflError("otafl.run", name, f"{what} while {name} is imported; put it under if __name__ == '__main__':")


def function(key: str, name: str) -> Callable[..., Any]:
    """Import and return the user's function that a scenario key names.

    Arguments:
        key: dotted key, such as "problem.model".
        name: its value, such as "package.module:function".

    Raises:
        OtaflError: there is no such function, or its file has changed since it was imported.
    """
    module, _, leaf = name.partition(":")
    try:
        with from_working_folder():
            found = getattr(importlib.import_module(module), leaf)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        rule = NOT_HERE if module == "__main__" else f"cannot be imported: {why(error)}"
        raise OtaflError(key, name, rule) from None
    if not callable(found):
        raise OtaflError(key, name, f"must name a function, not a {type(found).__name__}")
    module_digests(key, module)
    return found


def module_digests(key: str, name: str) -> dict[str, str]:
    """Return the digests of a module's file and of the user's modules that it imports, by module.

    Arguments:
        key: scenario key that names the module, for errors.
        name: name of the module.

    Returns:
        SHA-256 digests in hexadecimal, by name of the module; empty for a module without a file.

    Raises:
        OtaflError: a file has changed since it was imported, or lies in an archive.
    """
    file = module_files.find(name) or (module_files.file_of(sys.modules[name]) if name in sys.modules else None)
    module_files.require_file(key, name, file)
    return loaded.digests(key, name, file) if file else {}


def digests(name: str) -> list[tuple[str, str]]:
    """Return the files of a plugin and of the user's modules that it imports, each with its digest.

    Arguments:
        name: name or path of the plugin.

    Returns:
        Pairs of a file's or a module's name and the SHA-256 digest in hexadecimal; none for a plugin without a file.

    Raises:
        OtaflError: a file has changed since it was imported, or lies in an archive.
    """
    file = Path(name).resolve() if name.endswith(".py") else module_files.find(name)
    module_files.require_file(KEY, name, file)
    if not (file and file.is_file()):
        return []
    known = "__main__" if _runs(str(file)) else _known(file) if name.endswith(".py") else name
    found = loaded.digests(KEY, known, file)
    own = found.pop(known)
    return [(file.name, own), *found.items()]


def why(error: BaseException) -> str:
    """Return the cause of an exception of the user's code in words, with the line that raised it.

    Arguments:
        error: the exception.
    """
    if isinstance(error, SystemExit):
        return "it ends the process"
    if isinstance(error, ImportError | SyntaxError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in last)
    return f"{type(error).__name__}: {error}{where}" if str(error) else f"{type(error).__name__}{where}"
