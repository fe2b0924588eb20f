"""A fading process in coherence blocks that are addressed by number."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from channels.fading.protocol import Fading

FIRST_PIECE = 8
LARGEST_PIECE = 2**20
"""Gains in one piece of an endless band."""


@dataclass(frozen=True)
class BlockFading:
    """A fading process in blocks, each with a random stream of its own that depends on the seed and the block alone.

    Arguments:
        fading: the distribution of a block's gains.
        seed: seed sequence of the process.
    """

    fading: Fading
    seed: np.random.SeedSequence

    def gains(self, block: int, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Gains h of coherence block number ``block``, complex. Shape [num_workers, num_subcarriers]."""
        return self.fading.sample(self._stream(block), num_workers, num_subcarriers)

    def pieces(self, block: int, num_workers: int) -> Iterator[np.ndarray]:
        """The same gains for a band without end, piece by piece: 8 subcarriers, 16, 32, and so on, while small.

        Shape [num_workers, subcarriers of the piece], complex.
        """
        rng, count = self._stream(block), FIRST_PIECE
        while True:
            yield self.fading.sample(rng, num_workers, count)
            count = min(2 * count, max(FIRST_PIECE, LARGEST_PIECE // num_workers))

    def _stream(self, block: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=self._key, counter=(0, 0, 0, block)))

    @functools.cached_property
    def _key(self) -> np.ndarray:
        """Key of the counter-based generator; the block is the counter's highest word, so that blocks never meet."""
        return self.seed.generate_state(2, np.uint64)
