"""Engine of this process: one task after the other; an exception of a run passes on to the caller."""

import threading
import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from otafl.engine.run_spec import RunSpec
from otafl.engine.runtime import threads
from otafl.engine.simulate import Listener
from otafl.errors import OtaflError, Remark
from otafl.numerics.tensors import tf
from otafl.scenario.user_classes import contained
from otafl.store.store import Store
from otafl.study.compute import compute
from otafl.study.engines.engine import Engine, StudyContext
from otafl.study.trial import check
from otafl.study.work import Answer, Check, Task
from otafl.system import process


class InProcess(threading.local, Engine):
    """Engine that computes in this process, on all of its cores; parallel threads take turns."""

    here = True

    def begin(self, context: StudyContext) -> None:
        if not tf.executing_eagerly():
            rule = "must be True: eager execution is off, or a graph or a tf.function is being built"
            raise OtaflError("tf.executing_eagerly()", False, rule)
        self.context, self.waiting = context, list[Task]()
        with process.alone():
            for number in context.threads[:1]:
                threads.fix(number)

    def check(self, work: Check) -> Answer:
        with process.alone(), contained(work.settings):
            return check(work)

    @property
    def free(self) -> bool:
        return not self.waiting

    def submit(self, task: Task) -> None:
        self.waiting.append(task)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        while self.waiting:
            task = self.waiting.pop()
            with process.alone(), contained(task.settings):
                in_force = task.threads and threads.fix(task.threads)
                answer = Answer(compute(task.runs, task.store and Store(task.store), _Reporter(self.context, task)))
            if in_force != task.threads:
                threads_now = f"operations had {in_force} threads, in place of {task.threads}"
                rule = f"{threads_now}, as TensorFlow was in use already"
                warnings.warn(f"{rule}: results differ by rounding from those of a fresh process", Remark, stacklevel=2)
            yield task, answer


class _Reporter(Listener):
    """Listener that reports the progress of a task to its study."""

    def __init__(self, context: StudyContext, task: Task) -> None:
        self.context, self.task = context, task

    def advanced(self, iterations: int, standing: str) -> None:
        self.context.advance(self.task, iterations, standing, False)

    def resumed(self, iterations: int) -> None:
        self.context.advance(self.task, iterations, "", True)

    def recorded(self, columns: list[RunSpec], iterations: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
        if self.context.record:
            self.context.record(columns, iterations, values)

    def stops(self) -> bool:
        return self.context.asked.is_set()
