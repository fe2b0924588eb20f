"""Output of commands: texts, tables, and remarks as plain lines."""

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from otafl.errors import Remark
from otafl.plain_text import console, printable

if TYPE_CHECKING:
    from rich.table import Table

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def say(text: object, error: bool = False, end: str = "\n") -> None:
    """Print a text, path or exception, in which nothing but the ends of lines steers the terminal."""
    print(printable(str(text), "\n"), end=end, file=sys.stderr if error else sys.stdout)


def grid(
    words: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]], caption: str | None = None
) -> "Table":
    """Return a table of rich without lines: columns of words, then columns of numbers, by their headings."""
    from rich.table import Column, Table

    table = Table(*words, *(Column(name, justify="right") for name in numbers), box=None, caption=caption)
    for row in rows:
        table.add_row(*row)
    return table


def print_wrapped(rows: Iterable[Sequence[str]]) -> None:
    """Print rows of which the second column is wrapped, so that they fit the terminal."""
    from rich.table import Column, Table

    table = Table(Column(no_wrap=True), Column(), Column(no_wrap=True), box=None, show_header=False, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console().print(table)


def print_whole(table: "Table") -> None:
    """Print a table on lines that are long enough for it, whatever the width of the terminal."""
    console(width=max(console().width, console(width=1000).measure(table).maximum)).print(table)


@contextlib.contextmanager
def remarks() -> Iterator[None]:
    """Print remarks (``Remark``) as plain lines on standard error, each once, and suppress other warnings."""
    printed = set[str]()

    def remark(message: Warning | str, *_: object) -> None:
        line = f"note: {message}"
        if line not in printed:
            say(line, error=True)
        printed.add(line)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        warnings.showwarning = remark
        yield
