"""Fading in independent coherence blocks, addressed by their number, and realisations of any model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..random_streams import of_block
from .fading_model import FIRST_PIECE, Layout, Realisation

LARGEST_PIECE = 2**20
"""Largest number of gains in one piece of an endless band."""


@dataclass(frozen=True)
class BlockFading(Realisation):
    """Realisation in independent coherence blocks, each with a random stream that depends on seed and block alone.

    A coherence block is a time in which gains do not change.

    Arguments:
        fading: fading model with ``sample``, such as ``RayleighFading``: the distribution of a block's gains.
        layout: a ``Layout``, numbers of workers and antennas, subcarrier spacing and length of a block.
        seed: seed sequence of the blocks.
    """

    fading: Any
    layout: Layout
    seed: np.random.SeedSequence

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Return the complex gains h of one coherence block. Shape [workers, antennas, subcarriers], no unit.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            subcarriers: number of subcarriers.
        """
        if self.layout.apart:
            return self.of(block, subcarriers, slice(None))
        return self._sample(of_block(self.seed, block), subcarriers)

    def of(self, block: int, subcarriers: int, workers: Any) -> np.ndarray:
        """Return the complex gains h of some workers in a coherence block. Shape [some workers, antennas, subcarriers].

        Where workers stand apart in the layout, no others are drawn. Gains have no unit.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            subcarriers: number of subcarriers.
            workers: indices of the workers, from 0, or a slice.
        """
        if not self.layout.apart:
            return super().of(block, subcarriers, workers)
        some = range(self.layout.workers)[workers] if isinstance(workers, slice) else workers
        streams = (of_block(self.seed, block, worker=one) for one in some)
        return np.stack([self.fading.sample(rng, self.layout.antennas, subcarriers) for rng in streams])

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Return an iterator over the gains of an endless band in pieces of 8, 16, 32, ... subcarriers.

        Pieces stop to grow at 2^20 gains.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.

        Returns:
            Endless iterator over complex gains h, no unit, each of shape [workers, antennas, subcarriers of the piece].
        """
        rng, count, links = of_block(self.seed, block), FIRST_PIECE, self.layout.workers * self.layout.antennas
        while True:
            yield self._sample(rng, count)
            count = min(2 * count, max(FIRST_PIECE, LARGEST_PIECE // links))

    def _sample(self, rng: np.random.Generator, subcarriers: int) -> np.ndarray:
        workers, antennas = self.layout.links
        return self.fading.sample(rng, workers * antennas, subcarriers).reshape(workers, antennas, subcarriers)


def realise(fading: Any, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
    """Return the channels of workers under a fading model: its own realisation, or independent blocks of samples.

    Arguments:
        fading: a fading model, with a method ``realise`` or ``sample`` (``fading.fading_model.Fading``).
        layout: numbers of workers and antennas, subcarrier spacing and length of a coherence block.
        seed: seed sequence of the channels.

    Returns:
        A ``Realisation``, which has complex gains h, no unit, [workers, antennas, subcarriers], by number of the
        coherence block.

    Raises:
        ValueError: the model's own realisation is no Realisation, or cannot be made.
    """
    found = fading.realise(layout, seed) if hasattr(fading, "realise") else BlockFading(fading, layout, seed)
    if not isinstance(found, Realisation):
        raise ValueError(f"fading = {fading!r}: realise must make a fading.Realisation, not {found!r}")
    return found
