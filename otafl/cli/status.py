"""How studies stand, in a terminal."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from otafl.results.time_text import duration
from otafl.study import progress_file
from otafl.study.directory import studies
from otafl.study.progress_file import ProgressNote
from otafl.study.status import STATES, PointStatus, point_statuses

EVERY_S = 2.0
"""Seconds between two looks."""


def table(folder: Path) -> Table:
    """Runs by study, point and state.

    Raises:
        OtaflError: there is no study in the folder.
    """
    return _table(point_statuses(folder))


def _table(found: Iterable[PointStatus]) -> Table:
    grid = Table(box=None)
    for heading in ("study", "point", *STATES):
        grid.add_column(heading, justify="right" if heading in STATES else "left")
    for study, point, counts in found:
        words = ", ".join(f"{key} {value}" for key, value in point.items())
        grid.add_row(escape(study), escape(words), *(str(counts[state]) for state in STATES))
    return grid


def follow(folder: Path) -> None:
    """Show how the studies in a folder stand, again and again, until every run is done or has failed.

    Raises:
        OtaflError: there is none.
    """
    studies(folder)
    with contextlib.suppress(KeyboardInterrupt), Live(console=Console(), auto_refresh=False) as live:
        while True:
            found = list(point_statuses(folder))
            live.update(Group(_table(found), *_lines(folder), ""), refresh=True)
            if not _left(found):
                return
            time.sleep(EVERY_S)


def _left(found: list[PointStatus]) -> int:
    total = sum((counts for _, _, counts in found), Counter())
    return total["missing"] + total["begun"] + total["running"]


def _lines(folder: Path) -> list[str]:
    """What the studies say of themselves."""
    found = {runs.stem: progress_file.read(runs) for runs in studies(folder)}
    return [f"{escape(name)}: {_line(one)}" for name, one in found.items() if one]


def _line(said: ProgressNote) -> str:
    share = f"{said.done:,} of {said.total:,} iterations"
    if said.done >= said.total:
        return share
    if not said.fresh:
        return f"{share}; nothing heard for {duration(time.time() - said.at)}"
    left = f", about {duration(said.left_s)} left" if said.rate else ""
    return f"{share}, {said.rate:,.3g} iterations/s{left}; {escape(said.label)}"
