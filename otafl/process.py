"""This process as a place to compute: by one thread at a time, and not in a fork of one that had loaded TensorFlow."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

from otafl.errors import OtaflError

_lock, _lost = threading.RLock(), False


def _in_fork() -> None:
    """Note in a fork whether threads are lost that TensorFlow counts on; take a new lock, which none holds."""
    global _lock, _lost
    _lock, _lost = threading.RLock(), _lost or "tensorflow" in sys.modules


os.register_at_fork(after_in_child=_in_fork)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """A context in which no other thread computes, as Python's and Sionna's generators and numbers of threads are one.

    Raises:
        OtaflError: the process was forked from one that had loaded TensorFlow.
    """
    if _lost:
        remedy = 'start it by multiprocessing.get_context("spawn"), or let an engine compute elsewhere'
        rule = f"was forked from one that had loaded TensorFlow, and would compute for ever; {remedy}"
        raise OtaflError("process", os.getpid(), rule)
    with _lock:
        yield
