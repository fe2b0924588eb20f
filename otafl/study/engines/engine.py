"""What an engine is: it computes tasks, some at a time, and says how far they are."""

import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from otafl.errors import OtaflError
from otafl.study.task import Answer, Check, Task

POLL_S = 0.5
"""Seconds for which an engine waits at most before it gives the study its turn."""
TRIES = 3
"""Largest number of attempts at work that fails, or whose process is lost."""


class Circumstances(NamedTuple):
    """What an engine must know of a study.

    Arguments:
        told: is told of iterations that a task has done, and how its runs stand.
        resumed: is told of iterations that its runs had behind them.
        asked: whether the user has asked it to stop.
        tasks: how many tasks there are.
        threads: how many an operation has in those that train networks, which may differ between them; empty: none
            does.
        folder: of the study's own runs; None: nothing is kept.
    """

    told: Callable[[Task, int, str], None]
    resumed: Callable[[Task, int], None]
    asked: threading.Event
    tasks: int
    threads: list[int]
    folder: Path | None = None


class Engine(Protocol):
    """Computes tasks somewhere. The same bits come out whatever the engine is.

    One that derives from it has nothing to warm, to stop or to let go of, unless it says so.
    """

    def warm(self) -> None:
        """Start what takes a while, and is of use for any study."""

    def begin(self, circumstances: Circumstances) -> None:
        """Start what is needed.

        Raises:
            OtaflError: it cannot be had.
        """

    def check(self, work: Check) -> Answer:
        """Whether runs can be set up, and what is to be said beforehand."""
        ...

    @property
    def free(self) -> bool:
        """Whether it takes a task now."""
        ...

    def submit(self, task: Task) -> None:
        """Take a task."""

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        """The tasks that have ended, after a while at the latest."""
        ...

    def stop(self) -> None:
        """Let the tasks under way end as soon as their state is kept."""

    def end(self) -> None:
        """Let go of all; what is still under way is lost."""


EXTRAS = {"ray": "ray", "submitit": "slurm"}
"""What is installed only on demand, by module: the name of the extra."""


def extra(module: str) -> Any:
    """A library that is installed only on demand.

    Raises:
        OtaflError: it is not.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = EXTRAS[module]
        raise OtaflError("engine", name, f"needs {module} ({error}); pip install 'otafl[{name}]' brings it") from None
