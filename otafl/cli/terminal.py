"""Output of commands: whole tables, and remarks as plain lines."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from otafl.errors import Remark


def print_whole(table: Any) -> None:
    """Print a table on lines that are long enough for it, whatever the width of the terminal.

    Arguments:
        table: table of rich.
    """
    from rich.console import Console

    Console(width=max(Console().width, Console(width=1000).measure(table).maximum)).print(table)


@contextlib.contextmanager
def remarks() -> Iterator[set[str]]:
    """Print remarks (``Remark``) as plain lines on standard error, each once; a context manager.

    Other warnings are suppressed.

    Yields:
        The lines that have been printed so far.
    """
    said = set[str]()

    def say(message: Warning | str, *_: Any) -> None:
        line = f"note: {message}"
        if line not in said:
            print(line, file=sys.stderr)
        said.add(line)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        warnings.showwarning = say
        yield said
