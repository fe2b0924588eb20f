"""Summary of a result, and its table for a terminal; neither needs the result itself."""

from typing import NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from otafl.plain_text import printable


class Summary(NamedTuple):
    """Costs of the target and last readings, as text, with a row for each swept point.

    [3/5] says that three of five seeds reach the target and stay there. A cost behind a hollow circle is that of
    reaching the target and leaving it again.

    Arguments:
        title: title of the table, with the target.
        caption: explanation of the numbers.
        keys: names of the swept keys.
        headings: headings of the cells, such as "Time slots".
        rows: for each point, texts of the values of the swept keys, and its cells, such as "1,200 [3/5]".
    """

    title: str
    caption: str
    keys: list[str]
    headings: list[str]
    rows: list[tuple[list[str], list[str]]]


def grid(name: str, read: Summary) -> Table:
    """Return the summary of a result as a table of rich for a terminal.

    Arguments:
        name: name of the result.
        read: its summary.
    """
    made = Table(title=_text(f"{name}: {read.title}"), box=box.SIMPLE_HEAD, caption=_text(read.caption))
    for heading in read.keys:
        made.add_column(_text(heading), no_wrap=True)
    for heading in read.headings:
        made.add_column(_text(heading), justify="right", no_wrap=True)
    for names, cells in read.rows:
        made.add_row(*map(_text, names), *cells)
    return made


def _text(words: str) -> Text:
    """Return a text that any console prints as it is."""
    return Text(printable(words))
