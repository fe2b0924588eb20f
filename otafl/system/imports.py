"""Imports without libraries that are not needed, in processes that do nothing else meanwhile."""

import importlib
import sys


def import_without(module: str, *left_out: str) -> None:
    """Import a module as if others, which it uses where they are installed, were not installed.

    No other thread may import these meanwhile.
    """
    absent = [name for name in left_out if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # pyright: ignore[reportArgumentType, reportCallIssue], as Python documents it
    try:
        importlib.import_module(module)
    finally:
        for name in absent:
            sys.modules.pop(name, None)
