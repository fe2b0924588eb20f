"""Note on the progress of a running study in its folder, which ``otafl watch`` reads."""

import contextlib
import time
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from otafl.system.whole_files import read_text, replacing

FILE = "progress.json"
EVERY_S = 1.0
"""Time between two notes [s]."""
FRESH_S = 30.0
"""Age [s] above which a note counts as old: the study waits for something, or has ended."""
LARGEST = 2**63
"""Bound on the counts of iterations and the times in a note."""
Count = Annotated[int, Field(ge=0, lt=LARGEST)]
Time = Annotated[float, Field(ge=0, lt=LARGEST)]


class ProgressNote(BaseModel, strict=True, frozen=True, extra="forbid"):
    """Content of progress.json: iterations ``done``, of which some ``before`` the study, and times [s since 1970]."""

    label: str
    done: Count
    total: Count
    before: Count
    began: Time
    at: Time

    @property
    def rate(self) -> float:
        """Iterations per second since the study began, summed over runs."""
        return (self.done - self.before) / max(self.at - self.began, 1e-9)

    @property
    def left_s(self) -> float:
        """Time left at the mean rate so far [s]; infinite if nothing was done yet."""
        return (self.total - self.done) / self.rate if self.rate else float("inf")

    @property
    def fresh(self) -> bool:
        """True if the note is less than FRESH_S, 30 s, old, so that the study still runs."""
        return time.time() - self.at < FRESH_S


def read(runs: Path) -> ProgressNote | None:
    try:
        return ProgressNote.model_validate_json(read_text(runs / FILE))
    except (OSError, ValueError):
        return None


class ProgressNotes:
    """Writer of progress.json in a study's folder of runs, once per EVERY_S at most; a full disk is no error."""

    def __init__(self, runs: Path) -> None:
        self.path, self.began, self.due = runs / FILE, time.time(), 0.0

    def say(self, label: str, done: int, total: int, before: int) -> None:
        """Write a note on progress if the last one is EVERY_S old, or all is done."""
        now = time.time()
        if now >= self.due or done == total:
            self.due = now + EVERY_S
            note = ProgressNote(label=label, done=done, total=total, before=before, began=self.began, at=now)
            with contextlib.suppress(OSError), replacing(self.path) as temporary:
                temporary.write_text(note.model_dump_json(), "utf-8")
