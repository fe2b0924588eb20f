"""Worker processes on this machine, started once; what one of them meets does not touch the others, nor the study."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

from otafl.data.memory import available
from otafl.errors import OtaflError
from otafl.machine import cores
from otafl.study.engines.engine import POLL_S, Circumstances
from otafl.study.engines.worker import Advance
from otafl.study.task import Answer, Check, Task, Timing

LIBRARIES = 2**30
"""Bytes that a process takes for TensorFlow, and for programs and data of a small run."""
LEAVE_S = 10.0
"""Seconds in which a process that has nothing to do must have left."""
SAID = 2_000
"""Letters that are kept of what a lost process has said."""
TASKS_OF_REGRESSIONS = 4
"""For so many tasks one more process is started where none trains networks: each uses all cores by itself."""
PROGRAM = """
import sys
descriptor, *sys.path = sys.argv[1:]
from otafl.study.engines.worker import main
main(int(descriptor))
"""


class Local:
    """Worker processes.

    Arguments:
        processes: how many; left out, one for each core, but no more than there are tasks, or than memory allows.
            Where networks are trained, each has its share of the cores to itself.

    Raises:
        OtaflError: not a positive number.
    """

    def __init__(self, processes: int | None = None) -> None:
        if processes is not None and processes < 1:
            raise OtaflError("processes", processes, "must be at least 1")
        self.wanted = processes
        self.workers: list[_Worker] = []

    def warm(self) -> None:
        if not self.workers:
            self.workers.append(_Worker())

    def begin(self, circumstances: Circumstances) -> None:
        usable, self.circumstances = cores(), circumstances
        self.most = self.wanted or self._suitable(len(usable))
        share = max(1, len(usable) // self.most)
        parts = [usable[share * place : share * (place + 1)] for place in range(self.most)]
        self.shares = [part if circumstances.trains else [] for part in parts]
        self.warm()
        self.workers[0].share(self.shares[0])
        while len(self.workers) < self.most:
            self._start()

    def _suitable(self, usable: int) -> int:
        """How many processes are fastest."""
        tasks = self.circumstances.tasks
        useful = tasks if self.circumstances.trains else tasks // TASKS_OF_REGRESSIONS
        return max(1, min(usable, useful, int(available() / LIBRARIES)))

    def check(self, work: Check) -> Answer:
        answer = self.ask(work)
        self.most = self._limit(answer.need)
        return answer

    def ask(self, work: Check | Timing) -> Answer:
        """Have one process do some work, and wait for it.

        Raises:
            KeyboardInterrupt: the user asked to stop.
        """
        first = self.workers[0]
        first.send(work)
        while not self.circumstances.asked.is_set():
            for worker in self._ready():
                answer = self._heard(worker)
                if answer and worker is first:
                    return answer
        raise KeyboardInterrupt

    def _limit(self, need: float) -> int:
        """How many processes may compute at a time what needs so much memory."""
        return self.most if self.wanted else max(1, min(self.most, int(available() / (need + LIBRARIES))))

    @property
    def free(self) -> bool:
        return sum(worker.task is not None for worker in self.workers) < self.most

    def submit(self, task: Task) -> None:
        idle = [worker for worker in self.workers if worker.task is None]
        worker = idle[0] if idle else self._start()
        worker.task = task
        worker.send(task)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        for worker in self._ready():
            task, answer = worker.task, self._heard(worker)
            if task and answer:
                worker.task = None
                self.most = max(1, self.most - answer.starved)
                yield task, answer

    def stop(self) -> None:
        for worker in self.workers:
            worker.send(None)

    def end(self) -> None:
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.close(at_once=worker.task is not None or not worker.begun)
        self.workers.clear()

    def _start(self) -> "_Worker":
        taken = [worker.cores for worker in self.workers]
        free = [share for share in self.shares if share not in taken]
        worker = _Worker()
        worker.share(free[0] if free else [])
        self.workers.append(worker)
        return worker

    def _ready(self) -> list["_Worker"]:
        """Workers that have something to say."""
        ready = wait([worker.connection for worker in self.workers], POLL_S)
        return [worker for worker in self.workers if worker.connection in ready]

    def _heard(self, worker: "_Worker") -> Answer | None:
        """What a worker says, where it is an answer."""
        try:
            message: Any = worker.connection.recv()
        except (EOFError, OSError):
            self.workers.remove(worker)
            return Answer(failure=worker.close(), starved=True)
        if isinstance(message, Advance):
            if worker.task:
                self.circumstances.told(worker.task, *message)
            return None
        if message.last:
            self.workers.remove(worker)
            worker.close()
        return message.answer


def checked(work: Check, circumstances: Circumstances) -> Answer:
    """The check of runs in a process of its own, for engines whose own are elsewhere."""
    engine = Local(1)
    try:
        engine.begin(circumstances)
        return engine.check(work)
    finally:
        engine.end()


class _Worker:
    """A process and this end of the pipe to it."""

    def __init__(self) -> None:
        self.task, self.cores, self.begun = None, list[int](), False
        self.connection, theirs = Pipe()
        self.said = tempfile.TemporaryFile()  # noqa: SIM115, closed in close
        words = [str(theirs.fileno()), *sys.path]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *words],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self.said,
            stderr=self.said,
            start_new_session=True,  # the terminal's Ctrl-C is for the study alone, which passes it on
        )
        theirs.close()

    connection: Connection
    task: Task | None

    def share(self, cores: list[int]) -> None:
        """Say on which cores it is to compute; none: on all."""
        self.cores, self.begun = cores, True
        self.send(cores)

    def send(self, work: Check | Task | Timing | list[int] | None) -> None:
        """Give it work, or ask it to stop; if it is lost, that is noticed when its answer is read."""
        with contextlib.suppress(OSError):
            self.connection.send(work)

    def close(self, at_once: bool = False) -> str:
        """Let it leave; returns how it ended, with what it has said last."""
        self.connection.close()
        if at_once:
            self.process.kill()
        try:
            code = self.process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"the process was lost ({how})\n{self._last_words()}"

    def _last_words(self) -> str:
        with self.said:
            end = self.said.seek(0, os.SEEK_END)
            self.said.seek(max(0, end - SAID))
            return self.said.read().decode(errors="replace")
