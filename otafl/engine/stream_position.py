"""Position of a group's random streams between two iterations, and the channel uses of its runs."""

from typing import NamedTuple

import numpy as np


class Position(NamedTuple):
    """State on which, besides the settings, all later draws depend.

    Arguments:
        start: number of the next iteration, from 0.
        noise, downlink: states of the generators of every seed. Shape [seeds, seeds.WORDS].
        participants: states of the generators of participants. Shape [generators, seeds.WORDS].
        last_block: block of each worker's last round, -1: none. Shape [workers].
        sounded: block of each worker's last pilots, -1: none. Shape [workers].
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
        """Return the position of one run.

        Arguments:
            run: its index in the group.
            seed: index of its seed.
        """
        noise, downlink, used = self.noise[seed, None], self.downlink[seed, None], self.used[run, None]
        return self._replace(noise=noise, downlink=downlink, used=used)


def joined(positions: list[Position], seeds: list[int]) -> Position:
    """Return the position of a group from those of its runs.

    Arguments:
        positions: of each run.
        seeds: index of the seed of each run.
    """
    first = [seeds.index(seed) for seed in range(max(seeds) + 1)]
    noise, downlink = (np.concatenate([getattr(positions[at], name) for at in first]) for name in ("noise", "downlink"))
    used = np.concatenate([position.used for position in positions])
    return positions[0]._replace(noise=noise, downlink=downlink, used=used)
