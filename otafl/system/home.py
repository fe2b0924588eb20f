"""Paths in the user's home folder, which begin with ~/ as in a shell."""

import os
import re
from pathlib import Path
from typing import Any

OPTION = re.compile(r"(--[\w.-]+=)(~/.*)", re.DOTALL)
"""Option of a command with a path behind its name, which shells leave as it is."""


def at_home(value: Any) -> Any:
    """Return a path, or a list of paths, with the home folder in place of ~; another value as it is."""
    if isinstance(value, list | tuple):
        parts = [at_home(part) if isinstance(part, str) else part for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if not isinstance(value, str | os.PathLike) or not os.fspath(value).startswith("~/"):
        return value
    there = os.path.expanduser(value)
    return there if isinstance(value, str) else Path(there)


def word_at_home(word: str) -> str:
    """Return a word of a command with the home folder in place of ~, at its beginning or behind an option's name."""
    option = OPTION.fullmatch(word)
    return option[1] + at_home(option[2]) if option else at_home(word)
