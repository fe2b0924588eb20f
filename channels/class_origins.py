"""Modules that make classes, which need not define them: a function of one may make a class for another."""

import inspect

of: dict[type, str] = {}
"""Names of modules, by the classes that are registered while their statements run."""


def note(made: type) -> None:
    """Note the module that makes a class: the last one whose own statements are under way."""
    frame = inspect.currentframe()
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    of[made] = str(frame.f_globals.get("__name__", "")) if frame else ""
