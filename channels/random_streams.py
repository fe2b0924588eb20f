"""Random generators that depend on a seed and the number of a coherence block alone."""

import functools
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

PERSISTS = 1
"""Number of the stream for quantities that persist from block to block."""
MOST_SEEDS = 4096
"""Largest number of seed sequences whose keys are kept."""


def persistent(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the random generator for quantities that persist from coherence block to coherence block under a seed.

    Arguments:
        seed: seed sequence; the stream differs from those of ``of_block`` under the same one.
    """
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, PERSISTS)))


def of_block(
    seed: np.random.SeedSequence, block: int, purpose: int = 0, worker: int | None = None
) -> np.random.Generator:
    """Return the random generator of a coherence block, a time in which gains do not change.

    The block is the highest word of the generator's counter, so streams of different blocks never overlap. Nor do those
    of workers.

    Arguments:
        seed: seed sequence of all blocks.
        block: number of the block, from 0.
        purpose: number of one of several streams under the same seed, from 0.
        worker: number of a worker with a stream of its own, from 0; None: the stream is that of all workers.
    """
    apart = 0 if worker is None else 1 + int(worker)
    return np.random.Generator(np.random.Philox(_key(seed), counter=(0, apart, purpose, block)))


@functools.lru_cache(maxsize=MOST_SEEDS)
def _key(seed: np.random.SeedSequence) -> Any:
    """Return the key of a seed sequence's blocks, which takes longer to find than a generator to make."""
    return _Key(seed.generate_state(2, np.uint64))


class _Key(ISeedSequence):
    """Key of a Philox generator in place of a seed: the stream of the argument ``key``, without its slow request for
    entropy from the system."""

    def __init__(self, key: np.ndarray) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return self.key
