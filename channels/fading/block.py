"""Fading in independent coherence blocks that are addressed by number."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from channels.fading.protocol import FIRST_PIECE, Layout, Realisation
from channels.random_streams import of_block

LARGEST_PIECE = 2**20
"""Gains in one piece of an endless band."""


@dataclass(frozen=True)
class BlockFading(Realisation):
    """Blocks each with a random stream of its own that depends on the seed and the block alone.

    Arguments:
        fading: the distribution of a block's gains, a model with ``sample``.
        layout: whose.
        seed: seed sequence of the process.
    """

    fading: Any
    layout: Layout
    seed: np.random.SeedSequence

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Gains h of coherence block number ``block``, complex. Shape [workers, antennas, subcarriers]."""
        return self._sample(of_block(self.seed, block), subcarriers)

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """The same gains for a band without end, piece by piece: 8 subcarriers, 16, 32, and so on, while small.

        Shape [workers, antennas, subcarriers of the piece], complex.
        """
        rng, count, links = of_block(self.seed, block), FIRST_PIECE, self.layout.workers * self.layout.antennas
        while True:
            yield self._sample(rng, count)
            count = min(2 * count, max(FIRST_PIECE, LARGEST_PIECE // links))

    def _sample(self, rng: np.random.Generator, subcarriers: int) -> np.ndarray:
        workers, antennas = self.layout.links
        return self.fading.sample(rng, workers * antennas, subcarriers).reshape(workers, antennas, subcarriers)


def realise(fading: Any, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
    """Return the channels of some workers under a model: its own, or independent blocks of what it samples.

    Raises:
        ValueError: its own are no Realisation.
    """
    found = fading.realise(layout, seed) if hasattr(fading, "realise") else BlockFading(fading, layout, seed)
    if not isinstance(found, Realisation):
        raise ValueError(f"fading = {fading!r}: realise must make a channels.fading.Realisation, not {found!r}")
    return found
