"""Progress of a study: iterations of its tasks, added up for a progress bar and a note in its folder."""

import threading
from collections.abc import Callable

from otafl.study.plan import Study
from otafl.study.progress_file import ProgressNotes
from otafl.study.work import Task

Progress = Callable[[str, int, int], None]
"""Function called with a label of the runs under way and the iterations done and to do, summed over runs."""


class ProgressCounter:
    """Counter of a study's iterations, which tells the note and a bar, whose KeyboardInterrupt sets ``asked``."""

    def __init__(
        self,
        study: Study,
        missing: int,
        progress: Progress | None,
        asked: threading.Event,
        notes: ProgressNotes | None = None,
    ) -> None:
        self.progress, self.asked, self.notes = progress, asked, notes
        self.iterations = study.scenario.settings.run.iterations
        self.total = len(study.columns) * self.iterations
        self.before = self.settled = self.total - missing * self.iterations
        self.under_way: dict[int, int] = {}
        self.labels: dict[int, str] = {}

    def began(self, task: Task, label: str) -> None:
        self.labels[task.number] = label
        self.advance(task, 0, "starting")

    def advance(self, task: Task, iterations: int, standing: str, resumed: bool = False) -> None:
        self.before += iterations if resumed else 0
        self.under_way[task.number] = self.under_way.get(task.number, 0) + iterations
        self._tell(", ".join(filter(None, (self.labels[task.number], standing))))

    def ended(self, task: Task, missing: int) -> None:
        done = self.under_way.pop(task.number)
        self.settled = self.total - missing * self.iterations
        if not done:
            self._tell(self.labels[task.number])

    def done(self, failed: int = 0) -> None:
        self.under_way.clear()
        self.settled = self.total
        self._tell("done" if not failed else f"{failed} of the runs failed")

    def _tell(self, label: str) -> None:
        done = min(self.total, self.settled + sum(self.under_way.values()))
        if self.notes:
            self.notes.say(label, done, self.total, self.before)
        try:
            if self.progress:
                self.progress(label, done, self.total)
        except KeyboardInterrupt:
            self.asked.set()
