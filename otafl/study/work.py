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
        return self.groups[0][0].settings

    @property
    def trains(self) -> bool:
        return any(group[0].trains for group in self.groups)


class Task(NamedTuple):
    """Runs that one program computes side by side, as work for an engine.

    Arguments:
        runs: the runs, of equal settings but for seeds and numbers such as the SNR and the penalty.
        store: folder of the store with their checkpoints, which takes their results; None: nothing is kept.
        times: True to time some iterations of the runs, and to keep none.
    """

    number: int
    runs: list[Run]
    store: Path | None
    times: bool = False

    @property
    def settings(self) -> Settings:
        return self.runs[0].column.settings

    @property
    def threads(self) -> int | None:
        return self.runs[0].column.threads

    @property
    def trains(self) -> bool:
        return self.runs[0].column.trains

    @property
    def kind(self) -> tuple:
        return self.runs[0].column.kind


class Timed(NamedTuple):
    """Measured times and memory of runs that one program computes side by side."""

    setup_s: float
    """Time to load data and compile, until the first iteration began [s]."""
    rate: float
    """Iterations per second, summed over runs."""
    memory: int
    """Largest memory of the process [B]."""


class Answer(NamedTuple):
    """Answer to a check or a task.

    Arguments:
        results: curves and outcomes by the runs' names, but for runs that another process computes.
        need: memory of the largest group of runs that was checked [B].
        refusal: error of bad input, which ends the study.
        failure: a traceback, or how the process was lost; empty: the work was done.
        starved: True if the failure may be due to a lack of memory.
        lost: True if the process ended during the work, or the machine failed, so that another try may succeed.
        last: True if the process takes no more work.
    """

    results: dict[str, Result] = {}  # noqa: RUF012, which nobody changes
    remarks: tuple[str, ...] = ()
    need: float = 0.0
    refusal: OtaflError | None = None
    failure: str = ""
    starved: bool = False
    lost: bool = False
    last: bool = False
    timed: Timed | None = None

    def heeded(self) -> "Answer":
        """Return the answer itself if the work was done, else raise its refusal or failure."""
        if self.refusal:
            raise self.refusal
        if self.failure:
            raise MemoryError if self.starved else Unprepared(self.failure)
        return self
