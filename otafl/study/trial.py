"""Trials of runs before a study: whether they can be set up, and the time and memory of some iterations."""

import resource
import time

from otafl.engine import run_size
from otafl.engine.group import Group
from otafl.engine.simulate import Listener, simulate
from otafl.study.work import Answer, Check, Task, Timed

ENOUGH_S = 1.0
"""Time for which iterations are timed, unless the runs end before [s]."""


def check(work: Check) -> Answer:
    """Set up groups of runs without computing any; return remarks and the memory of the largest group."""
    remarks: dict[str, None] = {}
    need = 0.0
    for columns in work.groups:
        group = Group(columns)
        said = group.task.remark, run_size.remark(group), *group.air.remarks
        remarks |= dict.fromkeys(filter(None, said))
        need = max(need, run_size.estimate(group))
    return Answer(remarks=tuple(remarks), need=need)


def timed(task: Task) -> Timed:
    """Time some iterations of runs that are computed side by side; loading and compiling count as set-up."""
    began = time.perf_counter()
    group, clock = Group([run.column for run in task.runs]), _Clock()
    simulate(group, clock)
    if len(clock.marks) == 1:  # so short are they; now that all is compiled, once more
        once = time.perf_counter()
        simulate(group, _Clock())
        seconds, iterations = time.perf_counter() - once, clock.marks[0][1]
    else:
        seconds = clock.marks[-1][0] - clock.marks[0][0]
        iterations = sum(done for _, done in clock.marks[1:])
    rate = iterations / max(seconds, 1e-9)
    first, done = clock.marks[0]
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # which is in KiB
    return Timed(max(0.0, first - began - done / rate), rate, peak)


class _Clock(Listener):
    """Listener that notes when iterations were done, and how many, and stops after ENOUGH_S."""

    def __init__(self) -> None:
        self.marks: list[tuple[float, int]] = []

    def advanced(self, iterations: int, standing: str) -> None:
        self.marks.append((time.perf_counter(), iterations))

    def stops(self) -> bool:
        return len(self.marks) > 1 and self.marks[-1][0] - self.marks[0][0] >= ENOUGH_S
