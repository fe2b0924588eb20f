"""Import of the user's plugins and functions; what goes wrong in them is said in one line."""

import contextlib
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError
from otafl.user_code import modules

KEY = "plugins"
STEP = re.compile(r'File "(.+)", line (\d+)')
"""Step of a traceback that is part of a message, as TensorFlow writes of code that it has traced."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""Change of a terminal's colour in a message of Keras."""
_lock, _loading = threading.RLock(), threading.local()
"""Lock of imports; the name of the plugin that a thread is importing, its attribute ``name``."""
os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))  # which a lost thread may hold


@contextlib.contextmanager
def from_working_folder() -> Iterator[None]:
    """Search the working folder for modules in a context, after all else but an otafl from a checkout."""
    folder = os.getcwd()  # a text that is no other entry, even where it equals one
    with _lock:
        sys.path.insert(len(sys.path) - (sys.path[-1] == str(Path(__file__).parents[2])), folder)
    try:
        yield
    finally:
        with _lock:
            sys.path[:] = [entry for entry in sys.path if entry is not folder]


def load(names: Any) -> None:
    """Import the user's modules (plugins), whose statements register methods and parts; OtaflError where that fails."""
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise OtaflError(KEY, names, 'must list modules, as ["my_schemes"], or paths of files that end in .py')
    for name in names:
        outer, _loading.name = getattr(_loading, "name", ""), name
        try:
            with _refusing(KEY, name, hint="; a path ends in .py" if "/" in name and name[-3:] != ".py" else ""):
                _imported(name)
        finally:
            _loading.name = outer


def function(key: str, name: str) -> Callable[..., Any]:
    """Import and return the user's function that a scenario key names; OtaflError where there is none."""
    module, _, leaf = name.partition(":")
    with _refusing(key, name):
        member = getattr(_imported(module), leaf)
    if not callable(member):
        raise OtaflError(key, name, f"must name a function, not a {type(member).__name__}")
    return member


def module_of(plugin: str) -> str:
    """Return the name of the module that a plugin is, a name or a path that ends in .py: the script's is __main__."""
    by_path, running = plugin.endswith(".py"), getattr(sys.modules["__main__"], "__file__", None)
    file = os.path.realpath(plugin if by_path else modules.file_of(plugin) or "")
    if running and file == os.path.realpath(running):
        return "__main__"
    return modules.FROM_FILE + hashlib.sha256(file.encode()).hexdigest()[:12] if by_path else plugin


def _imported(name: str) -> Any:
    """Import a module by its name, or a file by its path, unless that was done before, and return it."""
    with _lock, from_working_folder():
        module = module_of(name)
        if module in modules.SESSIONS or (name.endswith(".py") and module in sys.modules):
            return sys.modules[module]
        if name.endswith(".py"):
            return _from_file(module, Path(name).absolute())
        path, held = modules.found(module), modules.file_of(module)
        if path and held and not held.samefile(path):
            raise ImportError(f"{held} is loaded under that name, not {path}; take another name, or a new process")
        modules.note(module)
        return importlib.import_module(module)


def _from_file(name: str, path: Path) -> Any:
    if not path.is_file():
        raise ImportError(f"there is no such file in {Path.cwd()}")
    spec: Any = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        modules.note(name, runs=True)
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextlib.contextmanager
def _refusing(key: str, name: str, hint: str = "") -> Iterator[None]:
    """Turn exceptions but for KeyboardInterrupt into an error of one line; a context manager."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        rule = str(error) if isinstance(error, OtaflError) else f"cannot be imported: {why(error)}{hint}"
        raise OtaflError(key, name, rule) from None


def require_none_loading(what: str) -> None:
    """Raise an OtaflError if this thread is importing a plugin; ``what`` it does meanwhile, as "starts a study"."""
    if name := getattr(_loading, "name", ""):
        raise OtaflError("otafl.run", name, f"{what} while {name} is imported; put it under if __name__ == '__main__':")


def why(error: BaseException) -> str:
    """Return the cause of an exception of the user's code in words, with the last line of that code that led to it."""
    if isinstance(error, SystemExit):
        return "it ends the process"
    if isinstance(error, SyntaxError):
        return str(error)
    text, kind = COLOUR.sub("", str(error)), type(error).__name__
    if isinstance(error, ImportError):
        return text + place(error)
    if STEP.search(text):
        lines = [line for line in map(str.strip, text.splitlines()) if line and "[[{{node" not in line]
        return lines[-1] + place(error)
    steps = list(traceback.walk_tb(error.__traceback__))[-1:]
    in_library = "".join(f" ({frame.f_globals.get('__name__')}, line {line})" for frame, line in steps)
    return (f"{kind}: {text}" if text else kind) + (place(error) or in_library)


def place(error: BaseException) -> str:
    """Return the last line of the user's code that led to an exception, " (my_code.py, line 3)"; empty without one."""
    steps = traceback.walk_tb(error.__traceback__)
    theirs = [(frame, line) for frame, line in steps if modules.theirs([frame.f_globals.get("__name__") or ""])]
    places = [(frame.f_code.co_filename, line) for frame, line in theirs]
    places += [(file, line) for file, line in STEP.findall(str(error)) if modules.is_theirs(file)]
    return "".join(f" ({Path(file).name}, line {line})" for file, line in places[-1:])
