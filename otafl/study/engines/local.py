"""Worker processes on this machine, started once; what one of them meets does not touch the others, nor the study."""

import itertools
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import Any

from otafl.errors import OtaflError
from otafl.machine import cores
from otafl.memory import available
from otafl.study.engines.engine import POLL_S, TRIES, Circumstances, Engine
from otafl.study.engines.process import Process
from otafl.study.engines.worker import Advance, Manner, Resumed
from otafl.study.task import Answer, Check, Task, Timing

LIBRARIES = 2**30
"""Bytes that a process takes for TensorFlow, and for programs and data of a small run."""
TASKS_OF_REGRESSIONS = 4
"""For so many tasks one more process is started where none trains networks: each uses all cores by itself."""


class Local:
    """Worker processes.

    Arguments:
        processes: how many; left out, one for each core, but no more than there are tasks, or than memory allows.
            Where networks are trained, each has its share of the cores.

    Raises:
        OtaflError: not a positive number.
    """

    def __init__(self, processes: int | None = None) -> None:
        if processes is not None and processes < 1:
            raise OtaflError("processes", processes, "must be at least 1")
        self.wanted = processes
        self.workers: list[Process] = []

    def warm(self) -> None:
        if not self.workers:
            self.workers.append(Process())

    def begin(self, circumstances: Circumstances) -> None:
        self.usable, self.circumstances = cores(), circumstances
        self.places = self.most = self.wanted or self._suitable()
        self.warm()
        threads = next(iter(circumstances.threads), None)
        self.workers[0].begin(self._manner(0, threads))
        while len(self.workers) < self.most:
            self._start(threads)

    def _suitable(self) -> int:
        """How many processes are fastest."""
        tasks = self.circumstances.tasks
        useful = tasks if self.circumstances.threads else tasks // TASKS_OF_REGRESSIONS
        return max(1, min(len(self.usable), useful, int(available() / LIBRARIES)))

    def _manner(self, place: int, threads: int | None) -> Manner:
        """Where networks are trained, processes share the cores, and have no fewer of them than threads."""
        if not threads:
            return Manner(place, [], None)
        apart = max(1, len(self.usable) // self.places)
        share = range(apart * place, apart * place + max(apart, threads))
        return Manner(place, sorted({self.usable[core % len(self.usable)] for core in share}), threads)

    def check(self, work: Check) -> Answer:
        (answer,) = self.ask(work)
        self.most = self._limit(answer.need)
        return answer

    def ask(self, work: Check | Timing, processes: int = 1) -> list[Answer]:
        """Have several processes do one piece of work at a time, and wait for all; for one that is lost another
        one does it.

        Raises:
            KeyboardInterrupt: the user asked to stop.
        """
        for _ in range(processes):
            self.submit(work)
        answers, again = list[Answer](), (TRIES - 1) * processes
        while not self.circumstances.asked.is_set():
            for answer in [answer for given, answer in self._answers() if given is work]:
                if answer.lost and again:
                    again -= 1
                    self.submit(work)
                else:
                    answers.append(answer)
            if len(answers) == processes:
                return answers
        raise KeyboardInterrupt

    def _limit(self, need: float) -> int:
        """How many processes may compute at a time what needs so much memory."""
        return self.most if self.wanted else max(1, min(self.most, int(available() / (need + LIBRARIES))))

    @property
    def free(self) -> bool:
        return sum(worker.task is not None for worker in self.workers) < self.most

    def submit(self, task: Check | Task | Timing) -> None:
        worker = self._idle(task.threads)
        worker.task = task
        worker.send(task)

    def _idle(self, threads: int | None) -> "Process":
        """A process that has nothing to do, and computes as is wanted."""
        idle = [worker for worker in self.workers if worker.task is None]
        suitable = [worker for worker in idle if threads in (None, worker.manner.threads)]
        if suitable:
            return suitable[0]
        if idle and len(self.workers) >= self.most:
            self.workers.remove(idle[0])
            idle[0].close()
        return self._start(threads)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        for task, answer in self._answers():
            if isinstance(task, Task):
                self.most = max(1, self.most - answer.starved)
                yield task, answer

    def _answers(self) -> Iterator[tuple[Check | Task | Timing, Answer]]:
        """The work that has ended, after a while at the latest."""
        for worker in self._ready():
            work, answer = worker.task, self._heard(worker)
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

    def _start(self, threads: int | None) -> "Process":
        taken = {worker.manner.place for worker in self.workers}
        place = next(place for place in itertools.count() if place not in taken)
        worker = Process()
        worker.begin(self._manner(place, threads))
        self.workers.append(worker)
        return worker

    def _ready(self) -> list["Process"]:
        """Workers that have something to say."""
        ready = wait([worker.connection for worker in self.workers], POLL_S)
        return [worker for worker in self.workers if worker.connection in ready]

    def _heard(self, worker: "Process") -> Answer | None:
        """What a worker says, where it is an answer."""
        try:
            message: Any = worker.connection.recv()
        except (EOFError, OSError):
            self.workers.remove(worker)
            return worker.lost()
        if isinstance(message, Advance | Resumed):
            if isinstance(worker.task, Task):
                self._tell(worker.task, message)
            return None
        if message.last:
            self.workers.remove(worker)
            worker.close()
        return message.answer

    def _tell(self, task: Task, message: Advance | Resumed) -> None:
        if isinstance(message, Advance):
            self.circumstances.told(task, *message)
        else:
            self.circumstances.resumed(task, *message)


class Elsewhere(Engine):
    """Engine whose processes are elsewhere, so that it checks runs in one of its own here."""

    circumstances: Circumstances

    def check(self, work: Check) -> Answer:
        engine = Local(1)
        try:
            engine.begin(self.circumstances)
            return engine.check(work)
        finally:
            engine.end()
