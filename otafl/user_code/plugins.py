"""Code of the user's own: where it is found, and how it is told whether it has changed."""

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
"""What the name of a module begins with that was loaded from a file by its path."""
NOT_HERE = (
    "is not there where runs are computed, as worker processes do not run a script's or a session's statements; put it "
    "in a module, or compute in this process, with engine=otafl.study.engines.engine(processes=0)"
)
_lock = threading.RLock()
_searched: Counter[str] = Counter()
"""Number of users of each folder that is on the path only while it has some."""


def _in_fork() -> None:
    """Renew the lock, which a thread that is not in the fork may have held."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_in_fork)


class _Loading(threading.local):
    """Plugins that a thread is loading."""

    def __init__(self) -> None:
        self.names: list[str] = []


_loading = _Loading()


@contextlib.contextmanager
def from_working_folder() -> Iterator[None]:
    """A user's code finds modules in the working folder, too, after all others: none there takes another's place."""
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
    """Import modules that register schemes: by name, or from a file by a path that ends in ``.py``.

    Raises:
        OtaflError: no list of names, or one of them cannot be imported.
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
    """Import a file, once, unless it is the script that runs."""
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
    """Return the name of the module of a file that is loaded by its path."""
    return FROM_FILE + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]


def _require_the_same(name: str) -> None:
    """Refuse a module that is loaded from another file than the one that its name leads to now.

    Raises:
        ImportError: it is.
    """
    found, held = module_files.find(name), module_files.file_of(sys.modules[name]) if name in sys.modules else None
    if found and held and found.resolve() != held.resolve():
        raise ImportError(f"{held} is loaded under that name, and not {found}; take another name, or begin anew")


def _runs(path: str | None) -> bool:
    """Whether a file is the script that runs."""
    running = getattr(sys.modules["__main__"], "__file__", None)
    return bool(path and running) and Path(str(running)).resolve() == Path(str(path)).resolve()


@contextlib.contextmanager
def contained(method: str) -> Iterator[None]:
    """A context in which the user's code may fail, but not end the process.

    Raises:
        OtaflError: it would, with what neither a program nor a user interrupts by.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise OtaflError("method", method, f"code that its runs need fails: {why(error)}") from None


def require_none_loading(what: str) -> None:
    """Refuse what a plugin must not do while it is imported.

    Raises:
        OtaflError: one is, by this thread.
    """
    for name in _loading.names[-1:]:
        raise OtaflError("otafl.run", name, f"{what} while {name} is imported; put it under if __name__ == '__main__':")


def function(key: str, name: str) -> Callable[..., Any]:
    """The function that the value ``package.module:function`` of a key names.

    Raises:
        OtaflError: there is no such function, or it is not that of the file any more.
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
    """Digests of the files of a module and of the modules of the user's own that it imports, by module.

    Returns:
        Nothing where it has no file.

    Raises:
        OtaflError: one of them has changed since it was imported.
    """
    file = module_files.find(name) or (module_files.file_of(sys.modules[name]) if name in sys.modules else None)
    module_files.require_file(key, name, file)
    return loaded.digests(key, name, file) if file else {}


def digests(name: str) -> list[tuple[str, str]]:
    """Digests of a plugin, by name or path, and of the modules of the user's own that it imports, by file or module.

    Raises:
        OtaflError: one of them has changed since it was imported.
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
    """What went wrong in the user's code, in words."""
    if isinstance(error, SystemExit):
        return "it ends the process"
    if isinstance(error, ImportError | SyntaxError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in last)
    return f"{type(error).__name__}: {error}{where}" if str(error) else f"{type(error).__name__}{where}"
