"""A worker process, as the process that has started it sees it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from otafl.study.engines.worker import Manner
from otafl.study.task import Answer, Check, Task, Timing

LEAVE_S = 10.0
"""Seconds in which a process that has nothing to do must have left."""
SAID = 2_000
"""Letters that are kept of what a lost process has said."""
PROGRAM = """
import sys
descriptor, *sys.path = sys.argv[1:]
from otafl.study.engines.worker import main
main(int(descriptor))
"""


class Process:
    """A process and this end of the pipe to it."""

    def __init__(self) -> None:
        self.task, self.manner, self.begun = None, Manner(0, [], None), False
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
    task: Check | Task | Timing | None

    def begin(self, manner: Manner) -> None:
        """Say how it is to compute."""
        self.manner, self.begun = manner, True
        self.send(manner)

    def send(self, work: Manner | Check | Task | Timing | None) -> None:
        """Give it work, or ask it to stop; if it is lost, that is noticed when its answer is read."""
        with contextlib.suppress(OSError):
            self.connection.send(work)

    def lost(self) -> Answer:
        """What is to be said of work that it will not answer: the system kills a process where memory ends."""
        code = self.close()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        words = f"the process was lost ({how})\n{self.words}"
        return Answer(failure=words, starved=code == -signal.SIGKILL, lost=True)

    def close(self, at_once: bool = False) -> int:
        """Let it leave; returns its exit code, negative that of a signal."""
        self.connection.close()
        if at_once:
            self.process.kill()
        try:
            code = self.process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.words = self._last_words()
        return code

    def _last_words(self) -> str:
        with self.said:
            end = self.said.seek(0, os.SEEK_END)
            self.said.seek(max(0, end - SAID))
            return self.said.read().decode(errors="replace")
