"""Notes that a running study leaves in its folder, for who watches from elsewhere."""

import contextlib
import time
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from otafl.atomic import replacing

FILE = "progress.json"
EVERY_S = 1.0
"""Seconds between two notes."""
FRESH_S = 30.0
"""Seconds after which a note is old: the study waits for something, or is no more."""


LARGEST = 2**63
"""Bound above all counts of iterations and all times in a note."""
Count = Annotated[int, Field(ge=0, lt=LARGEST)]
Time = Annotated[float, Field(ge=0, lt=LARGEST)]


class ProgressNote(BaseModel, strict=True, frozen=True, extra="forbid"):
    """Progress of a study.

    Arguments:
        label: what is running.
        done: iterations done, summed over runs.
        total: iterations to do.
        before: iterations that were done before it began, or that runs had behind them when they went on.
        began, at: when it began, and when it was so far, in seconds since 1970.
    """

    label: str
    done: Count
    total: Count
    before: Count
    began: Time
    at: Time

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
        """True where it was written lately."""
        return time.time() - self.at < FRESH_S


def read(runs: Path) -> ProgressNote | None:
    """The note in a study's folder of runs; None: there is none."""
    try:
        return ProgressNote.model_validate_json((runs / FILE).read_text())
    except (OSError, ValueError):
        return None


class ProgressNotes:
    """Leaves notes in a study's folder of runs, not too often; where that cannot be, nobody can watch."""

    def __init__(self, runs: Path) -> None:
        self.path, self.began, self.due = runs / FILE, time.time(), 0.0

    def say(self, label: str, done: int, total: int, before: int) -> None:
        """Note how far the study is."""
        now = time.time()
        if now >= self.due or done == total:
            self.due = now + EVERY_S
            note = ProgressNote(label=label, done=done, total=total, before=before, began=self.began, at=now)
            with contextlib.suppress(OSError), replacing(self.path) as temporary:
                temporary.write_text(note.model_dump_json())
