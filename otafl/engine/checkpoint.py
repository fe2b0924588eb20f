"""A run between two iterations: all that it takes to go on, to the last bit."""

from typing import NamedTuple

import numpy as np

from otafl.engine.stream_position import Position

Leaves = list[np.ndarray]
"""What server and workers of a run keep."""


class Checkpoint(NamedTuple):
    """A run between two iterations.

    Arguments:
        position: where its random streams stand.
        iterations: those that are recorded so far, counted from 1. Shape [recorded].
        table: what it has brought there, by variable. Shape [recorded] each.
        totals: of its costs. Shape [costs].
        state: what server and workers keep.
        seconds: that it has taken to compute so far.
    """

    position: Position
    iterations: np.ndarray
    table: dict[str, np.ndarray]
    totals: np.ndarray
    state: Leaves
    seconds: float = 0.0

    @property
    def size(self) -> int:
        """Bytes of what server and workers keep."""
        return sum(leaf.nbytes for leaf in self.state)

    @property
    def start(self) -> int:
        """Number of the next iteration, from 0."""
        return int(self.position.start.item())
