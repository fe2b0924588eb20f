"""Workers' states on the host, a row for each worker: in memory, or in a file."""

import mmap
import os
import tempfile
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike


class WorkerStates:
    """States of all workers, rows of ``arrays``, maybe in a file that vanishes with it; OSError on a full disk."""

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

    def _mapped(self, shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
        """Return zeros in a file without a name; the disk reserves all room, so that no later write fails."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, size)
            self.files.append(mmap.mmap(file.fileno(), size))
        return np.frombuffer(self.files[-1], dtype).reshape(shape)

    def write(self, workers: np.ndarray | slice, values: Sequence[np.ndarray]) -> None:
        for rows, new in zip(self.arrays, values, strict=True):
            rows[workers] = new
        self.settle()

    def settle(self) -> None:
        """Give the memory of rows that lie in a file back to the system; their contents stay."""
        for file in self.files:
            file.madvise(mmap.MADV_DONTNEED)
