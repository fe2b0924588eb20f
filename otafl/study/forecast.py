"""Forecast of a study: its time and memory, measured over some iterations of each kind of run."""

import threading
import time
from statistics import mean
from typing import NamedTuple

from otafl.store.store import Store
from otafl.study.engines.engine import StudyContext
from otafl.study.engines.local import Local
from otafl.study.plan import Study
from otafl.study.work import Run, Task, Timed

DRAW_S = 3.0
"""Measured time to assemble, save and draw a result [s]."""


class Kind(NamedTuple):
    """Forecast of the runs of one kind, of equal data, model, method and channel; iterations are summed over runs."""

    label: str
    tasks: int
    iterations: int
    timed: Timed

    @property
    def compute_s(self) -> float:
        """Time that one process takes for all iterations [s]."""
        return self.iterations / self.timed.rate


class Forecast(NamedTuple):
    """Forecast of the time and the memory of a study, with the time until a process is ready [s]."""

    kinds: list[Kind]
    processes: int
    start_s: float
    remarks: tuple[str, ...]

    @property
    def time_s(self) -> float:
        """Time from start to end [s], if processes share the tasks evenly; one task is done by one process."""
        work = sum(kind.compute_s + kind.timed.setup_s * min(kind.tasks, self.processes) for kind in self.kinds)
        longest = max((kind.timed.setup_s + kind.compute_s / kind.tasks for kind in self.kinds), default=0.0)
        return self.start_s + max(work / self.processes, longest) + DRAW_S

    @property
    def memory(self) -> int:
        """Largest memory of all processes together [B]."""
        return self.processes * max((kind.timed.memory for kind in self.kinds), default=0)


def forecast(study: Study, missing: list[int], processes: int | None = None, store: Store | None = None) -> Forecast:
    """Time some iterations of each kind of run in worker processes, and return the forecast of a study."""
    if not missing:
        return Forecast([], 0, 0.0, ())
    groups = study.together(missing)
    done = {place: store.start(study.names[place]) if store else 0 for place in missing}
    engine, began = Local(processes), time.monotonic()
    try:
        engine.begin(StudyContext(lambda *_: None, threading.Event(), len(groups), study.threads(groups)))
        checked = engine.check(study.check(study.setups(groups))).heeded()
        start_s, at_once = time.monotonic() - began, min(engine.most, len(groups))
        timed = [(where, _timed(study, where, engine, at_once)) for where in study.setups(groups)]
        kinds = [_kind(study, where, groups, done, measured) for where, measured in timed]
        return Forecast(kinds, engine.most, start_s, checked.remarks)
    finally:
        engine.end()


def _timed(study: Study, where: list[int], engine: Local, processes: int) -> Timed:
    """Return the mean time of some iterations of a group, and its most memory, in processes that compete for cores."""
    task = Task(0, [Run(study.columns[place], "", []) for place in where], None, times=True)
    samples = [timed for answer in engine.ask(task, processes) if (timed := answer.heeded().timed)]
    setup_s, rate = mean(sample.setup_s for sample in samples), mean(sample.rate for sample in samples)
    return Timed(setup_s, rate, max(sample.memory for sample in samples))


def _kind(study: Study, where: list[int], groups: list[list[int]], done: dict[int, int], timed: Timed) -> Kind:
    same = [group for group in groups if study.setups([where, group]) == [where]]
    runs = [place for group in same for place in group]
    wanted = study.scenario.settings.run.iterations
    iterations = sum(wanted - done[place] if done[place] <= wanted else wanted for place in runs)
    return Kind(study.label(runs), len(same), iterations, timed)
