"""What a running study says of itself in its folder, for who watches from elsewhere."""

import contextlib
import json
import time
from pathlib import Path
from typing import NamedTuple

from otafl.atomic import replacing

FILE = "progress.json"
EVERY_S = 1.0
"""Seconds between two notes."""
FRESH_S = 30.0
"""Seconds after which a note is old: the study waits for something, or is no more."""


LARGEST = 2**63
"""Bound above all counts of iterations and all times in a note."""


class Note(NamedTuple):
    """How far a study is.

    Arguments:
        label: what is running.
        done: iterations done, summed over runs.
        total: iterations to do.
        before: iterations that were done before it began, or that runs had behind them when they went on.
        began, at: when it began, and when it was so far, in seconds since 1970.
    """

    label: str
    done: int
    total: int
    before: int
    began: float
    at: float

    @property
    def sound(self) -> bool:
        """True where the note has a text for its label, and numbers that can be."""
        return isinstance(self.label, str) and all(_can_be(value) for value in self[1:])

    @property
    def rate(self) -> float:
        """Iterations in a second."""
        return (self.done - self.before) / max(self.at - self.began, 1e-9)

    @property
    def left_s(self) -> float:
        """Seconds left at this rate."""
        return (self.total - self.done) / self.rate if self.rate else float("inf")

    @property
    def fresh(self) -> bool:
        """Whether it was written lately."""
        return time.time() - self.at < FRESH_S


def _can_be(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < LARGEST


def read(runs: Path) -> Note | None:
    """The note in a study's folder of runs; None: there is none."""
    try:
        found = Note(**json.loads((runs / FILE).read_text()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return found if found.sound else None


class Notes:
    """Leaves notes in a study's folder of runs, not too often; where that cannot be, nobody can watch."""

    def __init__(self, runs: Path) -> None:
        self.path, self.began, self.due = runs / FILE, time.time(), 0.0

    def say(self, label: str, done: int, total: int, before: int) -> None:
        """Note how far the study is."""
        now = time.time()
        if now >= self.due or done == total:
            self.due = now + EVERY_S
            note = Note(label, done, total, before, self.began, now)
            with contextlib.suppress(OSError), replacing(self.path) as temporary:
                temporary.write_text(json.dumps(note._asdict()))
