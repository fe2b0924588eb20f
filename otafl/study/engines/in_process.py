"""This process: one task after the other, and whatever a run raises goes on to the caller."""

import threading
import warnings
from collections.abc import Iterator

from otafl import process
from otafl.engine.runtime import threads
from otafl.engine.simulate import Listener
from otafl.errors import Remark
from otafl.store.store import Store
from otafl.study.compute import compute
from otafl.study.engines.engine import Circumstances, Engine
from otafl.study.setup_check import check
from otafl.study.task import Answer, Check, Task
from otafl.user_code import plugins


class InProcess(threading.local, Engine):
    """Engine that computes in this process, with all of its cores; threads take turns."""

    def begin(self, circumstances: Circumstances) -> None:
        self.circumstances, self.waiting = circumstances, list[Task]()
        with process.alone():
            for number in circumstances.threads[:1]:
                threads.fix(number)

    def check(self, work: Check) -> Answer:
        with process.alone(), plugins.contained(work.settings.method):
            return check(work)

    @property
    def free(self) -> bool:
        return not self.waiting

    def submit(self, task: Task) -> None:
        self.waiting.append(task)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        while self.waiting:
            task = self.waiting.pop()
            with process.alone(), plugins.contained(task.settings.method):
                found = task.threads and threads.fix(task.threads)
                answer = Answer(compute(task.runs, task.store and Store(task.store), _Ear(self.circumstances, task)))
            if found != task.threads:
                rule = f"operations had {found} threads, in place of {task.threads}, as TensorFlow was in use already"
                warnings.warn(f"{rule}: results differ by rounding from those of a fresh process", Remark, stacklevel=2)
            yield task, answer


class _Ear(Listener):
    """Hears how a task stands."""

    def __init__(self, circumstances: Circumstances, task: Task) -> None:
        self.circumstances, self.task = circumstances, task

    def advanced(self, iterations: int, standing: str) -> None:
        self.circumstances.told(self.task, iterations, standing)

    def resumed(self, iterations: int) -> None:
        self.circumstances.resumed(self.task, iterations)

    def stops(self) -> bool:
        return self.circumstances.asked.is_set()
