"""Fading in independent coherence blocks, addressed by their number, and realisations of any model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import AntennaGains, WorkerIndices
from ..errors import ParameterError
from ..random_streams import of_block
from .fading_model import FIRST_PIECE, Fading, Realisation
from .layout import Layout

LARGEST_PIECE = 2**20
"""Largest number of gains in one piece of an endless band."""


@dataclass(frozen=True)
class BlockFading(Realisation):
    """Realisation of a model with ``sample`` in independent coherence blocks, by streams of seed and block alone."""

    fading: Any
    layout: Layout
    seed: np.random.SeedSequence

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        if self.layout.apart:
            return self.of(block, subcarriers, slice(None))
        return self._sample(of_block(self.seed, block), subcarriers)

    def of(self, block: int, subcarriers: int, workers: WorkerIndices) -> AntennaGains:
        if not self.layout.apart:
            return super().of(block, subcarriers, workers)
        some = range(self.layout.workers)[workers] if isinstance(workers, slice) else workers
        streams = (of_block(self.seed, block, worker=worker) for worker in some)
        return np.stack([self.fading.sample(rng, self.layout.antennas, subcarriers) for rng in streams])

    def pieces(self, block: int) -> Iterator[AntennaGains]:
        rng, count, links = of_block(self.seed, block), FIRST_PIECE, self.layout.workers * self.layout.antennas
        while True:
            yield self._sample(rng, count)
            count = min(2 * count, max(FIRST_PIECE, LARGEST_PIECE // links))

    def _sample(self, rng: np.random.Generator, subcarriers: int) -> AntennaGains:
        workers, antennas = self.layout.links
        return self.fading.sample(rng, workers * antennas, subcarriers).reshape(workers, antennas, subcarriers)


def realise(fading: Fading, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
    """Return the channels of workers under a fading model: its own realisation, or independent blocks of samples.

    >>> from otafl.channels.fading import Layout, RayleighFading
    >>> channels = realise(RayleighFading(), Layout(workers=3), np.random.SeedSequence(0))
    >>> channels.gains(block=7, subcarriers=10).shape
    (3, 1, 10)

    Raises:
        ParameterError: the model's own realisation is no Realisation, or cannot be made.
    """
    realisation = fading.realise(layout, seed) if hasattr(fading, "realise") else BlockFading(fading, layout, seed)
    if not isinstance(realisation, Realisation):
        raise ParameterError("fading", fading, f"realise must make a fading.Realisation, not {realisation!r}")
    return realisation
