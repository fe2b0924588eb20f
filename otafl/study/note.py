"""What a running study says of itself in its folder, for who watches from elsewhere."""

import contextlib
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from otafl.study.tally import Progress

FILE = "progress.json"
EVERY_S = 1.0
"""Seconds between two notes."""
FRESH_S = 30.0
"""Seconds after which a note is old: the study waits for something, or is no more."""


class Note(NamedTuple):
    """How far a study is.

    Arguments:
        label: what is running.
        done: iterations done, summed over runs.
        total: iterations to do.
        first: iterations that were done before it began.
        began, at: when it began, and when it was so far, in seconds since 1970.
    """

    label: str
    done: int
    total: int
    first: int
    began: float
    at: float

    @property
    def rate(self) -> float:
        """Iterations in a second."""
        return (self.done - self.first) / max(self.at - self.began, 1e-9)

    @property
    def left_s(self) -> float:
        """Seconds left at this rate."""
        return (self.total - self.done) / self.rate if self.rate else float("inf")

    @property
    def fresh(self) -> bool:
        """Whether it was written lately."""
        return time.time() - self.at < FRESH_S


def read(runs: Path) -> Note | None:
    """The note in a study's folder of runs; None: there is none."""
    try:
        return Note(**json.loads((runs / FILE).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def noting(runs: Path, progress: Progress | None) -> Progress:
    """A listener that leaves notes in a study's folder, and passes on what it hears."""
    began, first, due = time.time(), [0], [0.0]

    def listen(label: str, done: int, total: int) -> None:
        now = time.time()
        first[:] = first if due[0] else [done]
        if now >= due[0] or done == total:
            due[0] = now + EVERY_S
            _write(runs / FILE, Note(label, done, total, first[0], began, now))
        if progress:
            progress(label, done, total)

    return listen


def _write(path: Path, note: Note) -> None:
    """Whole or not at all; where that cannot be, nobody can watch."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        temporary.write_text(json.dumps(note._asdict()))
        os.replace(temporary, path)
