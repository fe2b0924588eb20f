"""Worker process, seen from the process that starts it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe

from otafl.study.engines.worker import Placement
from otafl.study.work import Answer, Check, Task

LEAVE_S = 10.0
"""Time after which an idle process that has not ended is killed [s]."""
SAID = 2_000
"""Number of bytes of a lost process's output that are reported."""
PROGRAM = """
import sys
descriptor, *sys.path = sys.argv[1:]
from otafl.study.engines.worker import main
main(int(descriptor))
"""


class Process:
    """Worker process that is started here: its ``task``, if any, and ``kinds`` of run whose programs it has."""

    def __init__(self) -> None:
        self.task: Check | Task | None = None
        self.placement, self.begun = Placement(0, [], None), False
        self.kinds = set[tuple]()
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

    def begin(self, placement: Placement) -> None:
        self.placement, self.begun = placement, True
        self.send(placement)

    def send(self, work: Placement | Check | Task | None) -> None:
        """Send the process work; a lost process is noticed when its answer is read."""
        with contextlib.suppress(OSError):
            self.connection.send(work)

    def lost(self) -> Answer:
        """Close a lost process, and return its failure with the end of its output; ``starved`` after SIGKILL."""
        code = self.close()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        words = f"the process was lost ({how})\n{self.words}"
        return Answer(failure=words, starved=code == -signal.SIGKILL, lost=True)

    def close(self, at_once: bool = False) -> int:
        """End the process, and keep the end of its output as ``words``."""
        self.connection.close()
        if at_once:
            self.process.kill()
        try:
            code = self.process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        with self.said:
            end = self.said.seek(0, os.SEEK_END)
            self.said.seek(max(0, end - SAID))
            self.words = self.said.read().decode(errors="replace")
        return code
