"""What a study will take, before it is begun: time and memory, from some iterations of each kind of run."""

import threading
import time
from dataclasses import dataclass
from statistics import mean
from typing import Any

from otafl.store.store import Store
from otafl.study.engines.engine import Circumstances
from otafl.study.engines.local import Local
from otafl.study.plan import Study
from otafl.study.task import Timed, Timing

DRAW_S = 3.0
"""Seconds until a result is put together, saved and drawn, as measured."""


@dataclass(frozen=True)
class Kind:
    """Runs of one kind.

    Arguments:
        label: what they have in common.
        tasks: how many groups of them go together.
        iterations: to do, summed over runs.
        timed: what some of them took.
    """

    label: str
    tasks: int
    iterations: int
    timed: Timed

    @property
    def compute_s(self) -> float:
        """Seconds that their iterations take a process."""
        return self.iterations / self.timed.rate


@dataclass(frozen=True)
class Forecast:
    """What a study will take.

    Arguments:
        kinds: its runs by kind.
        processes: how many compute.
        start_s: seconds until a process is ready.
        remarks: what is to be said of it.
    """

    kinds: list[Kind]
    processes: int
    start_s: float
    remarks: tuple[str, ...]

    @property
    def time_s(self) -> float:
        """Seconds from start to end: processes share the work evenly, but a task cannot be shared."""
        work = sum(kind.compute_s + kind.timed.setup_s * min(kind.tasks, self.processes) for kind in self.kinds)
        longest = max((kind.timed.setup_s + kind.compute_s / kind.tasks for kind in self.kinds), default=0.0)
        return self.start_s + max(work / self.processes, longest) + DRAW_S

    @property
    def memory(self) -> int:
        """Bytes that all processes take at most."""
        return self.processes * max((kind.timed.memory for kind in self.kinds), default=0)


def forecast(study: Study, missing: list[int], processes: int | None = None, store: Store | None = None) -> Forecast:
    """Time some iterations of each kind of run, in a process such as those that will compute.

    Arguments:
        study: what is to be run.
        missing: places of its runs that are not there yet.
        processes: how many there will be; left out, as ``Local`` decides.
        store: has states to go on from; None: there are none.

    Raises:
        OtaflError: a run cannot be set up, or does not fit into memory.
    """
    if not missing:
        return Forecast([], 0, 0.0, ())
    groups, engine, began = study.together(missing), Local(processes), time.monotonic()
    kinds = study.setups(groups)
    try:
        engine.warm()
        engine.begin(Circumstances(_ignore, _ignore, threading.Event(), len(groups), study.threads(groups)))
        checked = engine.check(study.check(kinds)).heeded()
        start_s = time.monotonic() - began
        done = {place: store.start(study.names[place]) if store else 0 for place in missing}
        found = [_kind(study, engine, where, groups, done) for where in kinds]
        return Forecast(found, engine.most, start_s, checked.remarks)
    finally:
        engine.end()


def _ignore(*_: Any) -> None:
    """Nobody listens."""


def _kind(study: Study, engine: Local, where: list[int], groups: list[list[int]], done: dict[int, int]) -> Kind:
    same = [group for group in groups if study.setups([where, group]) == [where]]
    runs = [place for group in same for place in group]
    wanted = study.scenario.settings.run.iterations
    iterations = sum(wanted - done[place] if done[place] <= wanted else wanted for place in runs)
    work = Timing([study.columns[place] for place in where])
    answers = engine.ask(work, min(engine.most, len(groups)))  # by all at once, as they compete
    return Kind(study.label(runs), len(same), iterations, _mean([answer.heeded().timed for answer in answers]))


def _mean(found: list[Timed | None]) -> Timed:
    timed = [one for one in found if one]
    setup_s, rate = mean(one.setup_s for one in timed), mean(one.rate for one in timed)
    return Timed(setup_s, rate, max(one.memory for one in timed))
