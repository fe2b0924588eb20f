"""What commands print, whole and plain."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from otafl.errors import Remark


def print_whole(table: Any) -> None:
    """Print a table on lines as long as it takes."""
    from rich.console import Console

    Console(width=max(Console().width, Console(width=1000).measure(table).maximum)).print(table)


@contextlib.contextmanager
def remarks() -> Iterator[None]:
    """Our own warnings as plain lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        warnings.showwarning = lambda message, *_: print(f"note: {message}", file=sys.stderr)
        yield
