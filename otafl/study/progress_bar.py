"""Progress bar of a study in a terminal or a notebook."""

from typing import Any


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
