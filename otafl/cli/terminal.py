"""Output of commands: texts, whole tables, and remarks as plain lines."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from otafl.errors import Remark
from otafl.plain_text import console, printable


def say(text: object, error: bool = False, end: str = "\n") -> None:
    """Print a text, in which nothing but the ends of lines steers the terminal.

    Arguments:
        text: text, path or exception.
        error: True for standard error.
        end: what is printed behind it.
    """
    print(printable(str(text), "\n"), end=end, file=sys.stderr if error else sys.stdout)


def print_whole(table: Any) -> None:
    """Print a table on lines that are long enough for it, whatever the width of the terminal.

    Arguments:
        table: table of rich.
    """
    console(width=max(console().width, console(width=1000).measure(table).maximum)).print(table)


@contextlib.contextmanager
def remarks() -> Iterator[set[str]]:
    """Print remarks (``Remark``) as plain lines on standard error, each once; a context manager.

    Other warnings are suppressed.

    Yields:
        The lines that have been printed so far.
    """
    said = set[str]()

    def remark(message: Warning | str, *_: Any) -> None:
        line = f"note: {message}"
        if line not in said:
            say(line, error=True)
        said.add(line)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        warnings.showwarning = remark
        yield said
