"""Imports without libraries that are not needed, in processes that do nothing else meanwhile."""

import importlib
import sys


def import_without(module: str, *left_out: str) -> None:
    """Import a module as if others, which it uses where they are installed, were not installed."""
    absent = [name for name in left_out if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # pyright: ignore[reportArgumentType, reportCallIssue], as Python documents it
    importlib.import_module(module)
    for name in absent:
        del sys.modules[name]
