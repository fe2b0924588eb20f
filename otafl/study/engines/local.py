"""Engine of worker processes on this machine; the failure of one touches neither the others nor the study."""

import itertools
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import Any

from otafl.errors import OtaflError
from otafl.study.engines.engine import POLL_S, TRIES, Engine, StudyContext
from otafl.study.engines.worker import Advance, Placement
from otafl.study.engines.worker_process import Process
from otafl.study.work import Answer, Check, Task
from otafl.system.machine import cores
from otafl.system.memory import available

LIBRARIES = 2**30
"""Memory of a process with TensorFlow and the programs and data of a small run [B]."""
TASKS_OF_REGRESSIONS = 4
"""Number of tasks per process if none trains a network, as each process then uses all cores by itself."""


class Local(Engine):
    """Engine of worker processes on this machine. Processes that train networks share the cores.

    Arguments:
        processes: number of processes; left out, one for each core, but not more than tasks, or than memory allows. If
            no task trains a network, at most one for every four tasks.
    """

    def __init__(self, processes: int | None = None) -> None:
        if processes is not None and processes < 1:
            raise OtaflError("processes", processes, "must be at least 1")
        self.wanted = processes
        self.workers: list[Process] = []

    def warm(self) -> None:
        if not self.workers:
            self.workers.append(Process())

    def begin(self, context: StudyContext) -> None:
        self.usable, self.context = cores(), context
        useful = context.tasks // (1 if context.threads else TASKS_OF_REGRESSIONS)
        suitable = max(1, min(len(self.usable), useful, int(available() / LIBRARIES)))
        self.places = self.most = self.wanted or suitable
        self.warm()
        threads = next(iter(context.threads), None)
        self.workers[0].begin(self._placement(0, threads))
        while len(self.workers) < self.most:
            self._start(threads)

    def _placement(self, place: int, threads: int | None) -> Placement:
        """Return the cores and threads of a process: all cores if no network is trained, else at least one a thread."""
        if not threads:
            return Placement(place, [], None)
        apart = max(1, len(self.usable) // self.places)
        share = range(apart * place, apart * place + max(apart, threads))
        return Placement(place, sorted({self.usable[core % len(self.usable)] for core in share}), threads)

    def check(self, work: Check) -> Answer:
        (answer,) = self.ask(work)
        if not self.wanted:
            self.most = max(1, min(self.most, int(available() / (answer.need + LIBRARIES))))
        return answer

    def ask(self, work: Check | Task, processes: int = 1) -> list[Answer]:
        """Have several processes do the same work at once, and wait for it. A lost process is replaced."""
        for _ in range(processes):
            self.submit(work)
        answers, again = list[Answer](), (TRIES - 1) * processes
        while not self.context.asked.is_set():
            for _, answer in list(self._answers()):
                if answer.lost and again:
                    again -= 1
                    self.submit(work)
                else:
                    answers.append(answer)
            if len(answers) == processes:
                return answers
        raise KeyboardInterrupt

    @property
    def free(self) -> bool:
        return sum(worker.task is not None for worker in self.workers) < self.most

    def submit(self, task: Check | Task) -> None:
        worker = self._idle(task.threads, task.kind)
        worker.task = task
        worker.kinds.add(task.kind)
        worker.send(task)

    def _idle(self, threads: int | None, kind: tuple) -> Process:
        """Return an idle or new process with a number of threads, if possible with the programs of a kind of run."""
        idle = [worker for worker in self.workers if worker.task is None]
        suitable = [worker for worker in idle if threads in (None, worker.placement.threads)]
        if suitable:
            return min(suitable, key=lambda worker: kind not in worker.kinds)
        if idle and len(self.workers) >= self.most:
            self.workers.remove(idle[0])
            idle[0].close()
        return self._start(threads)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        for task, answer in self._answers():
            if isinstance(task, Task):
                self.most = max(1, self.most - answer.starved)
                yield task, answer

    def _answers(self) -> Iterator[tuple[Check | Task, Answer]]:
        """Yield work that has ended, with its answer, after POLL_S at the latest."""
        ready = wait([worker.connection for worker in self.workers], POLL_S)
        for worker in [worker for worker in self.workers if worker.connection in ready]:
            work, answer = worker.task, self._received(worker)
            if work and answer:
                worker.task = None
                yield work, answer

    def stop(self) -> None:
        for worker in self.workers:
            worker.send(None)

    def end(self) -> None:
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.close(at_once=worker.task is not None or not worker.begun)
        self.workers.clear()

    def _start(self, threads: int | None) -> Process:
        taken = {worker.placement.place for worker in self.workers}
        place = next(place for place in itertools.count() if place not in taken)
        worker = Process()
        worker.begin(self._placement(place, threads))
        self.workers.append(worker)
        return worker

    def _received(self, worker: Process) -> Answer | None:
        """Receive a message of a worker; return it if it is an answer, and no report of progress."""
        try:
            message: Any = worker.connection.recv()
        except (EOFError, OSError):
            self.workers.remove(worker)
            return worker.lost()
        if isinstance(message, Advance):
            if isinstance(worker.task, Task):
                self.context.advance(worker.task, *message)
            return None
        if message.last:
            self.workers.remove(worker)
            worker.close()
        return message


class Elsewhere(Engine):
    """Engine whose processes are on other machines; it checks runs in one process on this machine."""

    context: StudyContext

    def check(self, work: Check) -> Answer:
        engine = Local(1)
        try:
            engine.begin(self.context)
            return engine.check(work)
        finally:
            engine.end()
