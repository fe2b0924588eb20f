"""Where the random streams of a group stand between two iterations, and what its runs have used up."""

from typing import NamedTuple

import numpy as np


class Position(NamedTuple):
    """All that the draws to come depend on besides the settings.

    Arguments:
        start: number of the next iteration, from 0.
        noise, downlink: states of the generators of every seed. Shape [seeds, seeds.WORDS].
        participants: of the generators that participants are drawn from. Shape [generators, seeds.WORDS].
        last_block: number of the block in which a worker last took part, -1: none. Shape [workers].
        sounded: number of the block in which a worker last sent pilots, -1: none. Shape [workers].
        used: channel uses so far. Shape [runs].
        clock: time [s] and block of the iteration before, where the channel changes in time. Shape [2].
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
        """That of one run, by its number and its seed's."""
        noise, downlink, used = self.noise[seed, None], self.downlink[seed, None], self.used[run, None]
        return self._replace(noise=noise, downlink=downlink, used=used)


def joined(positions: list[Position], seeds: list[int]) -> Position:
    """That of a group, from those of its runs and the numbers of their seeds."""
    first = [seeds.index(seed) for seed in range(max(seeds) + 1)]
    noise, downlink = (np.concatenate([getattr(positions[at], name) for at in first]) for name in ("noise", "downlink"))
    used = np.concatenate([position.used for position in positions])
    return positions[0]._replace(noise=noise, downlink=downlink, used=used)
