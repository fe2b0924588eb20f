"""The progress bar of a study."""

from typing import Any


class Bar:
    """A progress bar that listens to ``otafl.run``."""

    def __init__(self, console: Any) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        text = TextColumn("{task.description}", markup=False)
        rate = TextColumn("{task.fields[rate]}", markup=False)
        columns = (text, BarColumn(), MofNCompleteColumn(), rate, TimeElapsedColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=console)
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
