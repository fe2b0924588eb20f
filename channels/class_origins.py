"""Modules whose statements make registered classes, which may be defined by a function of another module."""

import inspect
from collections.abc import Callable
from typing import Any

of: dict[Any, str] = {}
"""Name of the module that made each registered class or function."""
heard: list[Callable[[Any], None]] = []
"""Functions that are called with each class or function when it is registered."""


def note(made: Any) -> None:
    """Record the module that makes a registered class: the innermost one whose top-level statements are running.

    Functions of ``heard`` are told of the class.

    Arguments:
        made: registered class or function, whose module is kept in ``of`` by name.
    """
    frame = inspect.currentframe()
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    of[made] = str(frame.f_globals.get("__name__", "")) if frame else ""
    for hear in heard:
        hear(made)
