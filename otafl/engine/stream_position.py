"""Position of a group's random streams between two iterations, and the channel uses of its runs."""

from typing import NamedTuple

import numpy as np


class Position(NamedTuple):
    """Position of a group's random streams between two iterations: all that later draws depend on besides the settings.

    A coherence block is a number of iterations, or a time, with one channel. The state of a generator is 13 words,
    WORDS, of 64 bits (uint64).

    Arguments:
        start: number of the next iteration, from 0. Scalar.
        noise: state of the generator of the server's receiver noise, under every seed. Shape [seeds, WORDS].
        downlink: state of the generator of the workers' receiver noise, under every seed. Shape [seeds, WORDS].
        participants: states of the generators that draw participants. Shape [generators, WORDS].
        last_block: number of the coherence block of each worker's last round, -1: none. Shape [workers].
        sounded: number of the coherence block of each worker's last pilots, -1: none. Shape [workers].
        used: channel uses so far. Shape [runs].
        clock: time at the end of the iteration before [s], and number of its block, where the channel changes in time.
            Shape [2].
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
        """Return the position of one run of the group."""
        noise, downlink, used = self.noise[seed, None], self.downlink[seed, None], self.used[run, None]
        return self._replace(noise=noise, downlink=downlink, used=used)


def joined(positions: list[Position], seeds: list[int]) -> Position:
    """Return the ``Position`` of a group from those of its runs, all at one iteration."""
    first = [seeds.index(seed) for seed in range(max(seeds) + 1)]
    noise, downlink = (np.concatenate([getattr(positions[at], name) for at in first]) for name in ("noise", "downlink"))
    used = np.concatenate([position.used for position in positions])
    return positions[0]._replace(noise=noise, downlink=downlink, used=used)
