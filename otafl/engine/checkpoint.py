"""Checkpoints: a run between two iterations, from which it goes on to the same bits."""

from typing import NamedTuple

import numpy as np

from otafl.engine.stream_position import Position

Leaves = list[np.ndarray]
"""State of server and workers of a run, as arrays."""


class Checkpoint(NamedTuple):
    """Run between two iterations, with all that it needs to go on.

    Arguments:
        position: positions of its random streams, and the number of its next iteration.
        iterations: numbers of the recorded iterations that are done, from 1. Shape [recorded].
        table: recorded values by variable, such as "loss". Shape [recorded] each.
        totals: sums of its costs so far: time slots, channel uses, energy [J], uploaded elements, and where asked for
            the energies by their use [J]. Shape [costs].
        state: state of server and workers, a list of arrays in the order of the executor's ``states``: the server's,
            such as the model of d elements, [1, d], then the workers', [workers, ...]. A last axis of length 1 may
            follow.
        seconds: computing time so far [s].
    """

    position: Position
    iterations: np.ndarray
    table: dict[str, np.ndarray]
    totals: np.ndarray
    state: Leaves
    seconds: float = 0.0

    @property
    def size(self) -> int:
        """Size of the state of server and workers in bytes."""
        return sum(leaf.nbytes for leaf in self.state)

    @property
    def start(self) -> int:
        """Number of the next iteration, from 0."""
        return int(self.position.start.item())
