"""Protocol of an engine, which computes several tasks at a time and reports their progress."""

import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from otafl.errors import OtaflError
from otafl.study.work import Answer, Check, Task

POLL_S = 0.5
"""Longest time that an engine waits before it returns to the study [s]."""
TRIES = 3
"""Largest number of attempts at work whose process is lost, or on which the machine fails."""


class StudyContext(NamedTuple):
    """Properties of a study that an engine needs to know.

    Arguments:
        advance: function to call with progress: a task, a number of its iterations (summed over runs), the state of its
            runs in words, and True if these iterations were done before the study began.
        asked: event that is set if the user asks to stop.
        threads: the different numbers of threads that an operation must have; empty: no task trains a network.
        folder: folder of the study's runs; None: nothing is kept.
        record: function that an engine of this process calls with values recorded so far, as a ``Listener`` is told.
    """

    advance: Callable[[Task, int, str, bool], None]
    asked: threading.Event
    tasks: int
    threads: list[int]
    folder: Path | None = None
    record: Callable[..., None] | None = None


class Engine(Protocol):
    """Protocol of an engine, which computes several tasks at a time; on like processors bits do not depend on it.

    A task is a set of runs that one program computes side by side. ``here`` is True where the study's own process
    computes. A class that derives from this one inherits empty ``warm``, ``stop`` and ``end``.
    """

    here: ClassVar[bool] = False
    """True if the engine computes in the process of the study itself."""

    def warm(self) -> None:
        """Start in advance what any study needs, such as a process that loads libraries."""

    def begin(self, context: StudyContext) -> None:
        """Start the processes, or connect to the cluster, for a study; OtaflError where that cannot be."""

    def check(self, work: Check) -> Answer:
        """Check the set-up of runs; answer with remarks and the largest memory [B], or a refusal or a failure."""
        ...

    @property
    def free(self) -> bool:
        """True if the engine takes another task now, to start or to queue."""
        ...

    def submit(self, task: Task) -> None:
        """Start a task, or put it into the queue."""

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        """Yield tasks that have ended, with results by the runs' names or why not; wait for POLL_S, 0.5 s, at most."""
        ...

    def stop(self) -> None:
        """Stop the tasks under way as soon as their checkpoints are saved."""

    def end(self) -> None:
        """Release processes and connections; tasks still under way are lost."""


def extra(name: str, module: str) -> Any:
    """Import the library of an engine, which an extra of its name installs; OtaflError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OtaflError("engine", name, f"needs {module} ({error}); pip install 'otafl[{name}]' installs it") from None
