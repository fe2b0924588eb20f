"""Checkpoints: a run between two iterations, from which it goes on to the same bits."""

import itertools
from typing import NamedTuple

import numpy as np

Leaves = list[np.ndarray]
"""State of server and workers of a run, as arrays."""


class Position(NamedTuple):
    """Position of a group's random streams between two iterations: all that later draws depend on besides the settings.

    Arguments:
        start: number of the next iteration, from 0. Scalar.
        noise, downlink: states of the generators of the server's and the workers' receiver noise. Shape [seeds, 13].
        participants: states of the generators that draw participants. Shape [generators, 13].
        last_block, sounded: coherence block of each worker's last round, and last pilots, -1: none. Shape [workers].
        used: channel uses so far. Shape [runs].
        clock: time at the end of the iteration before [s], and number of its block. Shape [2].
    """

    start: np.ndarray
    noise: np.ndarray
    downlink: np.ndarray
    participants: np.ndarray
    last_block: np.ndarray
    sounded: np.ndarray
    used: np.ndarray
    clock: np.ndarray = np.zeros(2)

    def of_run(self, run: int, seed: int) -> "Position":
        noise, downlink, used = self.noise[seed, None], self.downlink[seed, None], self.used[run, None]
        return self._replace(noise=noise, downlink=downlink, used=used)


class Checkpoint(NamedTuple):
    """Run between two iterations, with all that it needs to go on.

    Arguments:
        position: position of its random streams, and the number of its next iteration.
        iterations: numbers of the recorded iterations that are done, from 1. Shape [recorded].
        table: recorded values by variable, such as "loss". Shape [recorded] each.
        totals: sums of its costs so far, as an ``Account`` has them. Shape [costs].
        state: state of server and workers, in the order of the executor's ``states``.
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
    def at_server(self) -> "Checkpoint":
        """Checkpoint without the state of workers, from which no run goes on."""
        return self._replace(state=list(itertools.takewhile(lambda leaf: len(leaf) == 1, self.state)))

    @property
    def start(self) -> int:
        return int(self.position.start.item())


def joined(positions: list[Position], seeds: list[int]) -> Position:
    """Return the ``Position`` of a group from those of its runs, all at one iteration."""
    first = [seeds.index(seed) for seed in range(max(seeds) + 1)]
    noise, downlink = (np.concatenate([getattr(positions[at], name) for at in first]) for name in ("noise", "downlink"))
    used = np.concatenate([position.used for position in positions])
    return positions[0]._replace(noise=noise, downlink=downlink, used=used)
