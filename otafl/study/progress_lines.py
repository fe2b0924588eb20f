"""Progress of a study on lines, for output that is no terminal."""

import contextlib
import threading
import time
from typing import Any

from otafl.results.time_text import duration

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
