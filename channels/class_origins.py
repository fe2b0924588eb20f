"""Modules whose statements make registered classes, which may be defined by a function of another module."""

import inspect
from typing import Any

of: dict[Any, str] = {}
"""Name of the module that made each registered class or function."""


def note(made: Any) -> None:
    """Record the module that makes a registered class: the innermost one whose top-level statements are running.

    Arguments:
        made: registered class or function, whose module is kept in ``of`` by name.
    """
    frame = inspect.currentframe()
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    of[made] = str(frame.f_globals.get("__name__", "")) if frame else ""
