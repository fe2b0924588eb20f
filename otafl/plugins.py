"""Code of the user's own: where it is found, and how it is told whether it has changed."""

import contextlib
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError


@contextlib.contextmanager
def from_working_folder() -> Iterator[None]:
    """A user's code finds modules in the working folder, too, after all others: none there takes another's place."""
    added = [folder for folder in [str(Path.cwd())] if folder not in sys.path]
    sys.path += added
    try:
        yield
    finally:
        sys.path[:] = [folder for folder in sys.path if folder not in added]


def function(key: str, name: str) -> Callable[..., Any]:
    """The function that the value ``package.module:function`` of a key names.

    Raises:
        OtaflError: there is no such function.
    """
    module, _, leaf = name.partition(":")
    try:
        with from_working_folder():
            found = getattr(importlib.import_module(module), leaf)
    except (Exception, SystemExit) as error:
        raise OtaflError(key, name, f"cannot be imported: {why(error)}") from None
    if not callable(found):
        raise OtaflError(key, name, f"must name a function, not a {type(found).__name__}")
    return found


def why(error: BaseException) -> str:
    """What went wrong in the user's code, in words."""
    return "it ends the process" if isinstance(error, SystemExit) else str(error) or type(error).__name__


def digest(module: str) -> str:
    """A digest of a module's file, not of what that imports; empty where there is no such file."""
    try:
        with from_working_folder():
            found = importlib.util.find_spec(module)
    except (Exception, SystemExit):  # of a package that it lies in; the check of what is imported says it better
        return ""
    return hashlib.sha256(Path(str(found.origin)).read_bytes()).hexdigest() if found and found.has_location else ""
