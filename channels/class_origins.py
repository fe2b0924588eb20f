"""Modules whose statements make registered classes, which may be defined by a function of another module."""

import inspect
from collections.abc import Callable

of: dict[object, str] = {}
"""Name of the module that made each registered class or function."""
heard: list[Callable[[object], None]] = []
"""Functions that are called with each class or function when it is registered."""


def note(registered: object) -> None:
    """Record the innermost module whose statements register a class or function, and tell those in ``heard``."""
    frame = inspect.currentframe()
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    of[registered] = str(frame.f_globals.get("__name__", "")) if frame else ""
    for hear in heard:
        hear(registered)
