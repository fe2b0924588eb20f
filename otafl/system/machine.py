"""Properties of the machine and of Python for computations."""

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
    """Limit NumPy's and SciPy's linear algebra to one thread; a context manager.

    The number of threads decides the order of sums, and so the rounding of results. All other threads of the process
    wait with their computations meanwhile.
    """
    with process.alone(), _libraries().limit(limits=1, user_api="blas"):
        yield


@functools.cache
def _libraries() -> Any:
    importlib.import_module("scipy.linalg")  # which brings one of its own
    return importlib.import_module("threadpoolctl").ThreadpoolController()  # which sets an environment variable
