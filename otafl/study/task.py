"""What an engine is given to compute, and what it answers."""

from pathlib import Path
from typing import NamedTuple

from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError, Unprepared
from otafl.settings.keys import Settings
from otafl.store.identity import Input
from otafl.store.result import Result


class Run(NamedTuple):
    """A run, its name in a store, and the inputs that this name stands for."""

    column: RunSpec
    name: str
    inputs: list[Input]


class Check(NamedTuple):
    """To be found out: whether some groups of runs can be set up."""

    groups: list[list[RunSpec]]
    threads: int | None = None

    @property
    def settings(self) -> Settings:
        """Of one of its runs."""
        return self.groups[0][0].settings


class Task(NamedTuple):
    """Runs that go together, to be computed.

    Arguments:
        number: tells the tasks of a study apart.
        runs: which.
        store: folder that has their checkpoints, and gets what is computed; None: nowhere.
    """

    number: int
    runs: list[Run]
    store: Path | None

    @property
    def settings(self) -> Settings:
        """Of one of its runs."""
        return self.runs[0].column.settings

    @property
    def threads(self) -> int | None:
        """Threads that an operation must have; None: any number."""
        return self.runs[0].column.threads


class Timing(NamedTuple):
    """To be found out: how long the iterations of runs that go together take."""

    columns: list[RunSpec]

    @property
    def settings(self) -> Settings:
        """Of one of its runs."""
        return self.columns[0].settings

    @property
    def threads(self) -> int | None:
        """Threads that an operation must have; None: any number."""
        return self.columns[0].threads


class Timed(NamedTuple):
    """What iterations have taken.

    Arguments:
        setup_s: seconds until the first one began, to load data and compile.
        rate: iterations in a second, summed over runs.
        memory: bytes that the process has taken at most.
    """

    setup_s: float
    rate: float
    memory: int


class Answer(NamedTuple):
    """How work has ended.

    Arguments:
        results: by name, of those runs that no other process computes; "stopped" is the outcome of interrupted ones.
        remarks: that were made on the way.
        need: bytes of memory that the largest of the groups that were checked needs.
        refusal: bad input, which ends the study.
        failure: a traceback, or how the process was lost.
        starved: whether that may be for want of memory.
        lost: whether the process ended that was at it, so that another one may do it.
        timed: what iterations have taken, where that was asked.
    """

    results: dict[str, Result] = {}  # noqa: RUF012, which nobody changes
    remarks: tuple[str, ...] = ()
    need: float = 0.0
    refusal: OtaflError | None = None
    failure: str = ""
    starved: bool = False
    lost: bool = False
    timed: Timed | None = None

    def heeded(self) -> "Answer":
        """Itself, unless the work could not be done.

        Raises:
            OtaflError: bad input.
            MemoryError: it was for want of memory.
            Unprepared: for another reason.
        """
        if self.refusal:
            raise self.refusal
        if self.failure:
            raise MemoryError if self.starved else Unprepared(self.failure)
        return self
