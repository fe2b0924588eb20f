"""Work that an engine is given, and its answers."""

from pathlib import Path
from typing import NamedTuple

from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError, Unprepared
from otafl.settings.keys import Settings
from otafl.store.identity import Input
from otafl.store.result import Result


class Run(NamedTuple):
    """Run to compute: its name in a store or another unique text, and its inputs with their digests."""

    column: RunSpec
    name: str
    inputs: list[Input]


class Check(NamedTuple):
    """Work of checking that groups of runs can be set up, on any number of threads; nothing is compiled."""

    groups: list[list[RunSpec]]
    threads: int | None = None
    kind: tuple = ()

    @property
    def settings(self) -> Settings:
        """Settings of the first run of the first group."""
        return self.groups[0][0].settings


class Task(NamedTuple):
    """Runs that one program computes side by side, as work for an engine.

    Arguments:
        number: number of the task in its study, from 0.
        runs: the runs, of equal settings but for seeds and numbers such as the SNR and the penalty.
        store: folder of the store with their checkpoints, which takes their results; None: nothing is kept.
    """

    number: int
    runs: list[Run]
    store: Path | None

    @property
    def settings(self) -> Settings:
        """Settings of the first run."""
        return self.runs[0].column.settings

    @property
    def threads(self) -> int | None:
        """Number of threads that an operation must have; None: any number."""
        return self.runs[0].column.threads

    @property
    def kind(self) -> tuple:
        """Kind of the runs, on which their compiled programs depend."""
        return self.runs[0].column.kind


class Timing(NamedTuple):
    """Work of timing some iterations of runs that one program computes side by side."""

    columns: list[RunSpec]

    @property
    def settings(self) -> Settings:
        """Settings of the first run."""
        return self.columns[0].settings

    @property
    def threads(self) -> int | None:
        """Number of threads that an operation must have; None: any number."""
        return self.columns[0].threads

    @property
    def kind(self) -> tuple:
        """Kind of the runs, on which their compiled programs depend."""
        return self.columns[0].kind


class Timed(NamedTuple):
    """Measured time and memory of runs that one program computes side by side.

    Arguments:
        setup_s: time to load data and compile, until the first iteration began [s].
        rate: iterations per second, summed over runs.
        memory: largest memory of the process [B].
    """

    setup_s: float
    rate: float
    memory: int


class Answer(NamedTuple):
    """Answer to a check, a task or a timing.

    Arguments:
        results: results (curves and outcome) by the runs' names, but for runs that another process computes; an
            interrupted run has the outcome "stopped".
        remarks: remarks to show the user.
        need: memory of the largest group of runs that was checked [B].
        refusal: error of bad input, which ends the study; None: none.
        failure: a traceback, or how the process was lost; empty: the work was done.
        starved: True if the failure may be due to a lack of memory.
        lost: True if the process ended during the work, so that another one may do it.
        timed: measured times and memory, if these were asked for.
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
        """Return the answer itself if the work was done, else raise its refusal or failure."""
        if self.refusal:
            raise self.refusal
        if self.failure:
            raise MemoryError if self.starved else Unprepared(self.failure)
        return self
