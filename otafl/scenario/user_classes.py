"""User's classes and functions: methods, kinds of problem, fading models, uplinks and their parts, and metrics."""

import ast
import contextlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator

from otafl import algorithms, uplinks
from otafl.channels.fading import FADING
from otafl.data import user_data
from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.metrics import REGISTERED
from otafl.scenario.dotted_keys import last_part
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.settings.types import Value
from otafl.uplinks import chain
from otafl.user_code import files_beside, modules, plugins

OF_PACKAGE = frozenset(user_keys.ADDED)
"""Keys that methods and parts of the package have added; the user's come later, as they import otafl."""
DATA, MODEL = "problem.dataset", "problem.model"
"""Keys whose value may name a function of the user's."""
READING = {ast.Attribute: "attr", ast.Name: "id", ast.arg: "arg", ast.Constant: "value"}
"""Attributes with the names that parts of a syntax tree read, by their classes."""


def load(names: Value) -> None:
    """Import the user's modules that a scenario names, which register their classes and scenario keys."""
    plugins.load(names)
    user_keys.add_parts()


def modules_of(points: Collection[Settings]) -> dict[str, set[str]]:
    """Return the names of the user's modules that some runs need, by the key that names them."""
    data = {point.problem.dataset for point in points if user_data.is_function(point.problem.dataset)}
    models = {point.problem.model for point in points if ":" in point.problem.model}
    named = {plugins.module_of(name) for name in {name for point in points for name in point.plugins}}
    return {
        plugins.KEY: named.union(*map(modules.of_part, _parts(points))),
        MODEL: modules.theirs(name.partition(":")[0] for name in models),
        DATA: modules.theirs(name.partition(":")[0] for name in data),
    }


def _parts(points: Iterable[Settings]) -> set[Callable]:
    """Return the classes of runs' methods, problems, fading models, uplinks and their parts, and metrics' functions."""
    parts: set[Callable] = set()
    for settings in points:
        uplink, names = uplinks.uplink(uplinks.kind(settings)), chain.names(settings)
        parts |= {type(algorithms.parse(settings.method)[0]), uplink}
        parts |= {PROBLEMS[settings.problem.kind], FADING[settings.channel.fading]}
        parts |= {chain.PARTS[key][names[key]] for key in uplink.parts}
        parts |= {REGISTERED[name].compute for name in settings.run.metrics}
    return parts


def all_modules(points: Iterable[Settings]) -> set[str]:
    """Return the names of all modules of the user's that some runs need."""
    return set[str]().union(*modules_of(list(points)).values())


def require_models(points: Iterable[Settings]) -> None:
    """Refuse networks in modules that do not exist, before libraries that take their time are imported."""
    for settings in points:
        name, by_function, _ = settings.problem.model.partition(":")
        missing = by_function and name not in sys.modules and modules.found(name) is None
        settings.require([(MODEL, missing, f"there is no module {name} on Python's path or in the working folder")])


def to_import(points: Iterable[Settings]) -> list[str]:
    """Return the names or paths of modules that other processes import to have the classes of some runs."""
    names = sorted({name for part in _parts(points) for name in modules.of_part(part)})
    files = {name: file for name in names if (file := modules.file_of(name))}
    return [str(file.resolve()) if name.startswith(modules.FROM_FILE) else name for name, file in files.items()]


def only_here(points: Iterable[Settings]) -> bool:
    """Return True if some runs need what a script or a notebook has defined, which no other process can import."""
    needed = modules_of(list(points))
    return None in map(modules.file_of, needed[plugins.KEY] | (needed[MODEL] | needed[DATA]) & sys.modules.keys())


def changed(points: Iterable[Settings], surely: bool = True) -> list[str]:
    """Return the names of files of runs' code that have changed since their import, or not ``surely`` may have."""
    return modules.changed(modules.files(all_modules(points)), surely)


def without_effect(keys: Collection[str], points: Iterable[Settings]) -> dict[str, str]:
    """Return those of some keys that were added for the user's methods and parts, and that no file of theirs names."""
    of_user = {key: user_keys.ADDED[key] for key in keys if key in user_keys.ADDED.keys() - OF_PACKAGE}
    if not of_user or only_here(points := list(points)):
        return {}
    paths = [path for path in modules.files(all_modules(points)) if path.suffix == ".py"]
    nodes = [node for path in paths for node in files_beside.nodes(path.read_bytes())]
    reading = [node for node in nodes if type(node) in READING and not isinstance(getattr(node, "ctx", 0), ast.Store)]
    named = {getattr(node, READING[type(node)]) for node in reading}
    return {key: scheme for key, scheme in of_user.items() if last_part(key) not in named}


OF_MACHINE = ("ResourceExhaustedError", "InternalError", "UnavailableError", "AbortedError", "UnknownError")
"""TensorFlow's errors that may not come again, unless Python code that it calls has raised an exception."""


def is_of_machine(error: BaseException) -> bool:
    """Return True for an error of the machine, which may not come again."""
    files = isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
    of_tensorflow = type(error).__name__ in OF_MACHINE and "Traceback (most recent call last)" not in str(error)
    return files or isinstance(error, MemoryError) or of_tensorflow


@contextlib.contextmanager
def contained(settings: Settings) -> Iterator[None]:
    """Turn failures of the user's code into an error of one line, which is final; those of the machine pass."""
    try:
        yield
    except (OtaflError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(error, Exception) and (is_of_machine(error) or not all_modules([settings])):
            raise
        raise OtaflError("method", settings.method, f"code that its runs need fails: {plugins.why(error)}") from error
