"""Code of the user's own: where it is found, and how it is told whether it has changed."""

import contextlib
import hashlib
import importlib.util
import os
import sys
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from otafl.errors import OtaflError

KEY = "plugins"
FROM_FILE = "otafl_plugin_"
"""What the name of a module begins with that was loaded from a file by its path."""
OURS = ("otafl", "channels", "builtins", "typing", "abc")
"""Packages of which no class is the user's."""
imported: dict[type, str] = {}
"""Digests of the files that classes come from, as they were when these were registered."""
loading: list[str] = []
"""Plugins that are being loaded."""


@contextlib.contextmanager
def from_working_folder() -> Iterator[None]:
    """A user's code finds modules in the working folder, too, after all others: none there takes another's place."""
    added = [folder for folder in [str(Path.cwd())] if folder not in sys.path]
    sys.path += added
    try:
        yield
    finally:
        sys.path[:] = [folder for folder in sys.path if folder not in added]


def load(names: Any) -> None:
    """Import modules that register schemes: by name, or from a file by a path that ends in ``.py``.

    Raises:
        OtaflError: no list of names, or one of them cannot be imported.
    """
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise OtaflError(KEY, names, 'must list modules, as ["my_schemes"], or paths of files that end in .py')
    for name in names:
        loading.append(name)
        try:
            with from_working_folder():
                if name.endswith(".py"):
                    _from_file(Path(name))
                elif not _runs(getattr(importlib.util.find_spec(name), "origin", None)):
                    importlib.import_module(name)
        except OtaflError as error:
            raise OtaflError(KEY, name, str(error)) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            hint = "; a path ends in .py" if "/" in name and not name.endswith(".py") else ""
            raise OtaflError(KEY, name, f"cannot be imported: {why(error)}{hint}") from None
        finally:
            loading.pop()


def _from_file(path: Path) -> None:
    """Import a file, once, unless it is the script that runs."""
    known = FROM_FILE + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    if known in sys.modules or _runs(str(path)):
        return
    spec = importlib.util.spec_from_file_location(known, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no such file in {Path.cwd()}")
    sys.modules[known] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known]
        raise


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
        OtaflError: one is.
    """
    if loading:
        rule = f"{what} while {loading[-1]} is imported; put it under if __name__ == '__main__':"
        raise OtaflError("otafl.run", loading[-1], rule)


def sources(schemes: Iterable[type]) -> dict[str, Path | None]:
    """The modules that some classes and those that they are derived from come from, but for otafl's own.

    Returns:
        By the name under which ``load`` finds a module, its file; None where it has none, as in a notebook.
    """
    modules = [sys.modules[base.__module__] for scheme in schemes for base in _theirs(scheme)]
    return {_findable(module): _file(module) for module in modules}


def _theirs(scheme: type) -> list[type]:
    """Of a class and those that it is derived from, those of the user's own."""
    return [base for base in scheme.__mro__ if base.__module__.split(".")[0] not in OURS]


def note(scheme: type) -> None:
    """Note what the files hold that a class comes from, as it is registered."""
    for base in _theirs(scheme):
        file = _file(sys.modules[base.__module__])
        if file and base not in imported:
            imported[base] = of_file(file)


def digests(scheme: type) -> list[str]:
    """Digests of the files that a class comes from; of one without a file, as in a notebook, another one every time.

    Raises:
        OtaflError: a file has changed since it was imported, so that it does not say any more what runs.
    """
    return [_digest(base, _file(sys.modules[base.__module__])) for base in _theirs(scheme)]


def _digest(made: type, file: Path | None) -> str:
    if file is None:
        return uuid.uuid4().hex
    found = of_file(file)
    if imported.setdefault(made, found) != found:
        raise OtaflError(KEY, file.name, "has changed since it was imported; import it anew, or begin anew")
    return found


def _findable(module: ModuleType) -> str:
    """The name by which a module can be loaded."""
    if module.__name__ != "__main__" and not module.__name__.startswith(FROM_FILE):
        return module.__name__
    spec, file = getattr(module, "__spec__", None), _file(module)
    if module.__name__ == "__main__" and spec:
        return spec.name
    return str(file.resolve()) if file else module.__name__


def _file(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file) if file and os.path.isfile(file) else None


def function(key: str, name: str) -> Callable[..., Any]:
    """The function that the value ``package.module:function`` of a key names.

    Raises:
        OtaflError: there is no such function.
    """
    module, _, leaf = name.partition(":")
    try:
        with from_working_folder():
            found = getattr(importlib.import_module(module), leaf)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise OtaflError(key, name, f"cannot be imported: {why(error)}") from None
    if not callable(found):
        raise OtaflError(key, name, f"must name a function, not a {type(found).__name__}")
    return found


def why(error: BaseException) -> str:
    """What went wrong in the user's code, in words."""
    if isinstance(error, SystemExit):
        return "it ends the process"
    if isinstance(error, ImportError | SyntaxError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in last)
    return f"{type(error).__name__}: {error}{where}" if str(error) else f"{type(error).__name__}{where}"


def digest(module: str) -> str:
    """A digest of a module's file, not of what that imports; empty where there is no such file."""
    try:
        with from_working_folder():
            found = importlib.util.find_spec(module)
    except (Exception, SystemExit):  # of a package that it lies in; the check of what is imported says it better
        return ""
    return of_file(Path(str(found.origin))) if found and found.has_location else ""


def of_file(path: Path) -> str:
    """A digest of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
