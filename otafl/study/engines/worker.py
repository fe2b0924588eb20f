"""A worker process: it does what comes through a pipe until its end is closed, and answers through the same pipe."""

import contextlib
import importlib
import os
import queue
import signal
import threading
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from otafl.study.task import Answer

TELL_EVERY_S = 0.1
"""Seconds between two messages that say how far a task is."""
MOST_MAPS = 6_000
"""Memory maps from which on a process is renewed: some 60 kinds of run, and 1.5 GB."""


class Manner(NamedTuple):
    """How a process computes.

    Arguments:
        place: its number, from 0.
        cores: on which; empty: on all.
        threads: of an operation; None: as TensorFlow chooses.
    """

    place: int
    cores: list[int]
    threads: int | None


class Advance(NamedTuple):
    """So many iterations were done, and the runs stand like this."""

    iterations: int
    standing: str


class Resumed(NamedTuple):
    """The runs have so many iterations behind them already."""

    iterations: int


class Ended(NamedTuple):
    """How work has ended, and whether the process takes more."""

    answer: Answer
    last: bool


def main(descriptor: int) -> None:
    """Serve one end of a pipe, through which at first comes in which manner."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stopping, inbox = threading.Event(), queue.SimpleQueue()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    connection = Connection(descriptor)
    importlib.import_module("tensorflow")  # which takes seconds, and counts cores only later
    with contextlib.suppress(EOFError, OSError):
        _behave(connection.recv())
        threading.Thread(target=_receive, args=(connection, inbox, stopping), daemon=True).start()
        _serve(connection, inbox, stopping)


def _behave(manner: Manner) -> None:
    if manner.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, manner.cores)
    if manner.threads:
        importlib.import_module("otafl.engine.runtime.threads").fix(manner.threads)


def _receive(connection: Connection, inbox: queue.SimpleQueue, stopping: threading.Event) -> None:
    """Pass on what comes; None asks the work under way to stop, as does the end of the process that sends."""
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
    from otafl.engine.runtime import release
    from otafl.engine.simulate import Listener
    from otafl.study.remote_work import perform

    class Telling(Listener):
        """Says how far the work is, not too often, and stops when asked."""

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
                connection.send(Resumed(iterations))

        def stops(self) -> bool:
            return stopping.is_set()

    last = False
    while not last and (work := inbox.get()) is not None:
        answer = perform(work, Telling())
        last = release.maps() > MOST_MAPS or stopping.is_set()
        connection.send(Ended(answer, last))
