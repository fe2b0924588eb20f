"""Random generators that depend on a seed and the number of a coherence block alone."""

import functools

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import DTypeLike

PERSISTS = 1
"""Number of the stream for quantities that persist from block to block."""
PURPOSES = 16
"""Bound on the number of purposes."""
MOST_SEEDS = 4096
"""Largest number of seed sequences whose keys are kept."""


def persistent(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the random generator for quantities that persist from coherence block to coherence block under a seed."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, PERSISTS)))


def of_block(
    seed: np.random.SeedSequence, block: int, purpose: int = 0, worker: int | None = None, upload: int = 0
) -> np.random.Generator:
    """Return the random generator of a coherence block, counted from 0, under a seed.

    It is for a purpose and an upload of the block, from 0 each, and for all workers together, or for one alone.
    """
    apart = 0 if worker is None else 1 + int(worker)
    # The block is the highest word of the counter, so streams of different blocks or workers never overlap.
    counter = (0, apart, purpose + PURPOSES * upload, block)
    return np.random.Generator(np.random.Philox(_key(seed), counter=counter))  # pyright: ignore


class _Key(ISeedSequence):
    """Key of a Philox generator in place of a seed: its argument ``key`` would ask the system for entropy first."""

    def __init__(self, key: np.ndarray) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: DTypeLike = np.uint32) -> np.ndarray:
        return self.key


@functools.lru_cache(maxsize=MOST_SEEDS)
def _key(seed: np.random.SeedSequence) -> _Key:
    """Return the key of a seed sequence's blocks, which takes longer to find than a generator to make."""
    return _Key(seed.generate_state(2, np.uint64))
