"""Gains of a group's workers in one coherence block, as uplinks read them for rates and costs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from otafl.engine.group import Group
from otafl.engine.realisations import Which


class BlockGains(NamedTuple):
    """Estimated gains of uploading workers in a coherence block, for some runs, as ``Band`` describes them.

    Arguments:
        seed_index: index of the seed of each run concerned. Shape [runs].
        workers: numbers of the workers, or a slice; all by default.
        upload: True where the server listens, which hears neighbouring cells; False where workers do.
    """

    group: Group
    block: int
    seed_index: np.ndarray
    workers: Which = slice(None)
    upload: bool = True

    @property
    def correlated(self) -> bool:
        return self.group.air.correlated

    @property
    def errors(self) -> np.ndarray:
        """Variance around the estimate, and in uploads the power of neighbours. Shape [runs, workers, 1]."""
        air = self.group.air
        return (air.errors if self.upload else air.estimate_errors)[:, self.workers][self.seed_index]

    def first(self, subcarriers: int) -> np.ndarray:
        seeds, place = np.unique(self.seed_index, return_inverse=True)
        return self.group.air.alone(self.block, subcarriers, seeds, self.workers)[place]

    def split(self, run: int, each: int) -> np.ndarray:
        workers = np.arange(self.group.workers)[self.workers]
        return self.group.air.split(self.block, workers, each, self.seed_index[run])

    def pieces(self) -> Iterator[np.ndarray]:
        return (piece[self.seed_index][:, self.workers] for piece in self.group.air.pieces(self.block))
