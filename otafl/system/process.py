"""Access to this process for computations: one thread at a time, and none in a fork after TensorFlow was loaded."""

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from otafl.errors import OtaflError

Value = TypeVar("Value")
_lock, _lost = threading.RLock(), False


def _in_fork() -> None:
    """Note in a fork if threads are lost that TensorFlow needs; take a new lock."""
    global _lock, _lost
    _lock, _lost = threading.RLock(), _lost or "tensorflow" in sys.modules


os.register_at_fork(after_in_child=_in_fork)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keep all other threads of this process from computing until the end; a context manager.

    Random generators of Python and Sionna and the numbers of threads are shared by a process. Meanwhile TensorFlow
    compiles functions, also where the user has it run them eagerly, and does not warn of how it does: a program that is
    traced again for another shape, or an operation without a vectorised form, is no mistake of the user's.
    """
    if _lost:
        remedy = 'start it by multiprocessing.get_context("spawn"), or let an engine compute elsewhere'
        rule = f"was forked from one that had loaded TensorFlow, and would compute for ever; {remedy}"
        raise OtaflError("process", os.getpid(), rule)
    logger = logging.getLogger("tensorflow")
    with _lock, _compiling(), changed(lambda: logger.level, logger.setLevel, max(logger.level, logging.ERROR)):
        yield


@contextlib.contextmanager
def _compiling() -> Iterator[None]:
    """Turn off ``tf.config.run_functions_eagerly``, and restore it afterwards; TensorFlow is not loaded for that."""
    config = getattr(sys.modules.get("tensorflow"), "config", None)
    if config is None or not config.functions_run_eagerly():
        yield
        return
    with changed(config.functions_run_eagerly, config.run_functions_eagerly, False):
        yield


@contextlib.contextmanager
def changed(read: Callable[[], Value], write: Callable[[Value], object], value: Value) -> Iterator[None]:
    """Change what this process has set, and restore it afterwards; a context manager."""
    before = read()
    write(value)
    try:
        yield
    finally:
        write(before)
