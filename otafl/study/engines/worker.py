"""Worker process: it receives work through a pipe, and answers through it, until the other end is closed."""

import contextlib
import gc
import importlib
import os
import queue
import signal
import threading
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from otafl.system import machine

MOST_KINDS = 40
"""Number of kinds of run after which a process is renewed, as TensorFlow keeps programs: some 30 MB for each kind."""
TELL_EVERY_S = 0.1
"""Time between two messages on the progress of a task [s]."""


class Placement(NamedTuple):
    """Number, cores (empty: all) and threads of an operation (None: any number) of a worker process."""

    place: int
    cores: list[int]
    threads: int | None


class Advance(NamedTuple):
    """Message of a worker process on iterations since the last one, summed over runs, and the progress in words."""

    iterations: int
    standing: str
    resumed: bool = False


def main(descriptor: int) -> None:
    """Serve one end of a pipe until the other end is closed: receive work, perform it, and send the answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stopping, inbox = threading.Event(), queue.SimpleQueue()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    connection = Connection(descriptor)
    _import_libraries()  # which takes seconds; TensorFlow counts cores only later
    with contextlib.suppress(EOFError, OSError):
        placement = connection.recv()
        if placement.cores and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, placement.cores)
        if placement.threads:
            importlib.import_module("otafl.engine.runtime.threads").fix(placement.threads)
        else:  # all problems are solved exactly, which takes a processor half of a card's time
            importlib.import_module("tensorflow").config.set_visible_devices([], "GPU")
        threading.Thread(target=_receive, args=(connection, inbox, stopping), daemon=True).start()
        _serve(connection, inbox, stopping)
    gc.freeze()  # before it ends, Python would search all that TensorFlow has loaded for garbage: 1.7 s


def _import_libraries() -> None:
    """Import what computes; Keras, which regressions do without, is left to work that trains: 2 s."""
    gc.disable()  # nothing that is loaded is garbage: 0.6 s
    machine.import_without("tensorflow", "keras.src.optimizers")
    importlib.import_module("otafl.study.remote_work")
    gc.freeze()
    gc.enable()


def _receive(connection: Connection, inbox: queue.SimpleQueue, stopping: threading.Event) -> None:
    """Pass messages on to the inbox; None, or the end of the sending process, stops the work under way."""
    work: Any = True
    while work is not None:
        try:
            work = connection.recv()
        except (EOFError, OSError):
            work = None
        if work is None:
            stopping.set()
        inbox.put(work)


def _serve(connection: Connection, inbox: queue.SimpleQueue, stopping: threading.Event) -> None:
    from otafl.engine.simulate import Listener
    from otafl.study.remote_work import perform

    class Telling(Listener):
        """Listener that sends progress every TELL_EVERY_S, and stops the runs when asked."""

        def __init__(self) -> None:
            self.due, self.iterations = 0.0, 0

        def advanced(self, iterations: int, standing: str) -> None:
            self.iterations += iterations
            if time.monotonic() >= self.due and not stopping.is_set():
                with contextlib.suppress(OSError):  # who listened is gone, which stops this soon
                    connection.send(Advance(self.iterations, standing))
                self.due, self.iterations = time.monotonic() + TELL_EVERY_S, 0

        def resumed(self, iterations: int) -> None:
            with contextlib.suppress(OSError):
                connection.send(Advance(iterations, "", resumed=True))

        def stops(self) -> bool:
            return stopping.is_set()

    last, kinds = False, set[tuple]()
    while not last and (work := inbox.get()) is not None:
        answer = perform(work, Telling())
        kinds.add(work.kind)
        last = len(kinds) > MOST_KINDS or stopping.is_set()
        connection.send(answer._replace(last=last))
