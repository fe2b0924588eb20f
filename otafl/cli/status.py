"""Status of studies, in a terminal."""

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Group
from rich.live import Live
from rich.table import Table

from otafl.cli.terminal import grid
from otafl.plain_text import console, duration
from otafl.study import progress_file
from otafl.study.manifest import studies
from otafl.study.progress_file import ProgressNote
from otafl.study.status import STATES, UNFINISHED, PointStatus, point_statuses

EVERY_S = 2.0
"""Time between two updates [s]."""


def table(statuses: Iterable[PointStatus]) -> Table:
    """Return a table of rich with the number of runs by study, point of the sweep and state."""
    rows = []
    for study, point, counts in statuses:
        words = ", ".join(f"{key} {value}" for key, value in point.items())
        rows.append((study, words, *(str(counts[state]) for state in STATES)))
    return grid(("study", "point"), STATES, rows)


def follow(folder: Path) -> None:
    """Show the status of the studies in a folder until each run is done or has failed, or the user interrupts."""
    studies(folder)
    with contextlib.suppress(KeyboardInterrupt), Live(console=console(), auto_refresh=False) as live:
        while True:
            statuses = list(point_statuses(folder))
            notes = {runs.stem: progress_file.read(runs) for runs in studies(folder)}
            lines = (f"{name}: {_line(note)}" for name, note in notes.items() if note)
            live.update(Group(table(statuses), *lines, ""), refresh=True)
            if not any(counts[state] for _, _, counts in statuses for state in UNFINISHED):
                return
            time.sleep(EVERY_S)


def _line(note: ProgressNote) -> str:
    share = f"{note.done:,} of {note.total:,} iterations"
    if note.done >= note.total:
        return share
    if not note.fresh:
        return f"{share}; no report for {duration(time.time() - note.at)}"
    left = f", about {duration(note.left_s)} left" if note.rate else ""
    return f"{share}, {note.rate:,.3g} iterations/s{left}; {note.label}"
