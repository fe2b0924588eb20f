"""The progress of a study: what its tasks have done, added up for who listens."""

import threading
from collections.abc import Callable

from otafl.study.plan import Study
from otafl.study.progress_file import ProgressNotes
from otafl.study.task import Task

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


class ProgressCounter:
    """Adds a study's progress up, and knows whether the user wishes to stop.

    Arguments:
        study: what is run.
        missing: how many runs are.
        progress: listens, and may interrupt.
        asked: is set where the user wishes to stop.
        notes: are left for who watches from elsewhere.
    """

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
        """A task was handed over."""
        self.labels[task.number] = label
        self.told(task, 0, "starting")

    def told(self, task: Task, iterations: int, standing: str) -> None:
        """A task has done so many iterations more, and its runs stand like this."""
        self.under_way[task.number] = self.under_way.get(task.number, 0) + iterations
        self._tell(", ".join(filter(None, (self.labels[task.number], standing))))

    def resumed(self, task: Task, iterations: int) -> None:
        """The runs of a task have so many iterations behind them already."""
        self.before += iterations
        self.told(task, iterations, "")

    def ended(self, task: Task, missing: int) -> None:
        """A task is no more under way, and so many runs are missing."""
        told = self.under_way.pop(task.number)
        self.settled = self.total - missing * self.iterations
        if not told:
            self._tell(self.labels[task.number])

    def done(self, failed: int = 0) -> None:
        """Note that a study is done, and how many of its runs have failed."""
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
