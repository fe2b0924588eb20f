"""Block fading: complex gains per worker and subcarrier, constant for a coherence time.

A fading model is a class with ``sample(rng, num_workers, num_subcarriers)`` and the flag ``static``; adding it to
``FADING`` makes it known by name.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from channels.noise import complex_normal

FIRST_PIECE = 8
LARGEST_PIECE = 2**20
"""Gains in one piece of an endless band."""


class Fading(Protocol):
    """What a fading model offers."""

    static: ClassVar[bool]
    """True where the gains never change, so that no coherence time applies."""

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Draw the gains h of one coherence block, complex. Shape [num_workers, num_subcarriers]."""
        ...


@dataclass(frozen=True)
class NoFading:
    """Unit gain on every subcarrier, h = 1."""

    static: ClassVar[bool] = True

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Unit gains. Shape [num_workers, num_subcarriers], complex."""
        return np.ones((num_workers, num_subcarriers), dtype=np.complex128)


@dataclass(frozen=True)
class RayleighFading:
    """Independent h ~ CN(0, 1) on every worker and subcarrier: |h|² is exponential with mean 1."""

    static: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Rayleigh gains. Shape [num_workers, num_subcarriers], complex.

        Subcarriers are drawn one after the other, so a wider band extends a narrower one without changing it.
        """
        return complex_normal(rng, (num_subcarriers, num_workers)).T


FADING: dict[str, type[Fading]] = {"none": NoFading, "rayleigh": RayleighFading}


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
