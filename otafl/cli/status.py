"""Status of studies, in a terminal."""

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Group
from rich.live import Live
from rich.table import Table

from otafl.plain_text import console
from otafl.results.time_text import duration
from otafl.study import progress_file
from otafl.study.manifest import studies
from otafl.study.progress_file import ProgressNote
from otafl.study.status import STATES, UNFINISHED, PointStatus, point_statuses

EVERY_S = 2.0
"""Time between two updates [s]."""


def table(found: Iterable[PointStatus]) -> Table:
    """Return a table of rich with the number of runs by study, point of the sweep and state.

    Arguments:
        found: a ``PointStatus`` for each point: the study's name, values by name of the swept dimension, and number of
            runs by state.
    """
    grid = Table(box=None)
    for heading in ("study", "point", *STATES):
        grid.add_column(heading, justify="right" if heading in STATES else "left")
    for study, point, counts in found:
        words = ", ".join(f"{key} {value}" for key, value in point.items())
        grid.add_row(study, words, *(str(counts[state]) for state in STATES))
    return grid


def follow(folder: Path) -> None:
    """Show the status of the studies in a folder, every two seconds (EVERY_S), until each run is done or has failed.

    An interrupt from the keyboard ends it.

    Arguments:
        folder: folder of one study or several.

    Raises:
        OtaflError: the folder holds no study.
    """
    studies(folder)
    with contextlib.suppress(KeyboardInterrupt), Live(console=console(), auto_refresh=False) as live:
        while True:
            found = list(point_statuses(folder))
            live.update(Group(table(found), *_lines(folder), ""), refresh=True)
            if not any(counts[state] for _, _, counts in found for state in UNFINISHED):
                return
            time.sleep(EVERY_S)


def _lines(folder: Path) -> list[str]:
    """Return the progress that each study has noted, as lines."""
    found = {runs.stem: progress_file.read(runs) for runs in studies(folder)}
    return [f"{name}: {_line(one)}" for name, one in found.items() if one]


def _line(said: ProgressNote) -> str:
    share = f"{said.done:,} of {said.total:,} iterations"
    if said.done >= said.total:
        return share
    if not said.fresh:
        return f"{share}; no report for {duration(time.time() - said.at)}"
    left = f", about {duration(said.left_s)} left" if said.rate else ""
    return f"{share}, {said.rate:,.3g} iterations/s{left}; {said.label}"
