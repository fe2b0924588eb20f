"""Progress of a study: a bar in a terminal or a notebook, and lines for other output."""

import contextlib
import threading
import time
from typing import Any

from otafl.plain_text import duration

EVERY_S = 10.0
"""Time between two lines [s]."""


class Lines:
    """Lines on the progress every EVERY_S, to pass to ``otafl.run`` as ``progress``, and a context that ends them."""

    def __init__(self, console: Any) -> None:
        self.console, self.begun = console, time.monotonic()
        self.label, self.iterations = "preparing", ""
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._print, daemon=True)

    def __enter__(self) -> "Lines":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join()

    def __call__(self, label: str, done: int, total: int) -> None:
        self.label, self.iterations = label, f"{done:,} of {total:,} iterations, "

    def _print(self) -> None:
        with contextlib.suppress(OSError):  # where nothing can be printed, the command says so
            while not self.ended.wait(EVERY_S):
                passed = duration(round(time.monotonic() - self.begun))
                self.console.print(f"{self.iterations}{passed}; {self.label}", soft_wrap=True)


class Bar:
    """Progress bar in a terminal or notebook, to pass to ``otafl.run`` as ``progress``, and a context that stops it."""

    def __init__(self, console: Any) -> None:
        from rich import progress

        text = progress.TextColumn("{task.description}", markup=False)
        rate = progress.TextColumn("{task.fields[rate]}", markup=False)
        done, times = progress.MofNCompleteColumn(), (progress.TimeElapsedColumn(), progress.TimeRemainingColumn())
        self.bar = progress.Progress(text, progress.BarColumn(), done, rate, *times, console=console)
        self.task = self.bar.add_task("preparing", total=None, rate="")

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar.live.is_started:
            self.bar.stop()

    def __call__(self, label: str, done: int, total: int) -> None:
        self.bar.start()
        speed = self.bar.tasks[0].speed
        rate = f"{speed:,.0f} iterations/s" if speed and speed >= 10 else f"{speed:.1f} iterations/s" if speed else ""
        self.bar.update(self.task, description=label, completed=done, total=total, rate=rate)
