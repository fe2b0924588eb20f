"""Properties of the machine and of Python for computations, and imports."""

import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from otafl.errors import OtaflError
from otafl.system import process


def require_docstrings() -> None:
    """Refuse to compute where Python leaves docstrings out, without which TensorFlow cannot be imported."""
    if sys.flags.optimize > 1:
        raise OtaflError("PYTHONOPTIMIZE", sys.flags.optimize, "must be at most 1: TensorFlow needs its docstrings")


def require_folder() -> None:
    """Refuse to work where the working folder was deleted, as relative paths lead nowhere from there."""
    try:
        os.getcwd()
    except OSError as error:
        raise OtaflError("working folder", ".", f"must exist ({error.strerror}); change into another one") from None


def cores() -> list[int]:
    """Return the numbers of the processor cores that this process may use; all cores where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextlib.contextmanager
def in_one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread in a context, as threads decide the order of sums; other threads wait."""
    with process.alone(), _libraries().limit(limits=1, user_api="blas"):
        yield


@functools.cache
def _libraries() -> Any:
    importlib.import_module("scipy.linalg")  # which brings one of its own
    return importlib.import_module("threadpoolctl").ThreadpoolController()  # which sets an environment variable


def import_without(module: str, *left_out: str) -> None:
    """Import a module as if others, which no other thread may import meanwhile, were not installed."""
    absent = [name for name in left_out if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # pyright: ignore[reportArgumentType, reportCallIssue], as Python documents it
    try:
        importlib.import_module(module)
    finally:
        for name in absent:
            sys.modules.pop(name, None)
