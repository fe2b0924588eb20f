"""Rows of what workers keep, on the host: in memory, or in a file where that has no room for them."""

import mmap
import os
import shutil
import tempfile
from typing import Any

import numpy as np


class WorkerStates:
    """A row for each worker in each of some arrays.

    Arguments:
        first: the row that all begin with, in each array. Shape [1, ...].
        workers: N.
        in_file: whether they lie in a file, of which nothing stays once they are let go, however the process ends.

    Raises:
        OSError: the disk has no room for them.
    """

    def __init__(self, first: list[np.ndarray], workers: int, in_file: bool) -> None:
        self.files: list[mmap.mmap] = []
        self.arrays = [self._rows(row, workers, in_file) for row in first]

    def _rows(self, first: np.ndarray, workers: int, in_file: bool) -> np.ndarray:
        shape = (workers, *first.shape[1:])
        rows = self._mapped(shape, first.dtype) if in_file else np.zeros(shape, first.dtype)
        if first.any():  # memory for zeros is taken only as they are written
            rows[:] = first
        self.settle()
        return rows

    def _mapped(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Zeros in a file without a name, for which the disk has set all room aside: a write cannot fail later."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, size)
            self.files.append(mmap.mmap(file.fileno(), size))
        return np.frombuffer(self.files[-1], dtype).reshape(shape)

    def write(self, workers: Any, values: Any) -> None:
        """Put others in their place."""
        for rows, new in zip(self.arrays, values, strict=True):
            rows[workers] = new
        self.settle()

    def settle(self) -> None:
        """Let the system have the memory of rows in files."""
        for file in self.files:
            file.madvise(mmap.MADV_DONTNEED)


def room() -> int:
    """Bytes that the disk has left for files that are soon removed."""
    return shutil.disk_usage(tempfile.gettempdir()).free
