"""Random streams that depend on a seed and the number of a block alone, whatever is drawn before or beside."""

from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

PERSISTS = 1
"""Number of the stream of what persists under a seed."""


def persistent(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the random generator of what persists from block to block, beside the generators of the blocks."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, PERSISTS)))


def of_block(seed: np.random.SeedSequence, block: int, purpose: int = 0) -> np.random.Generator:
    """Return the random generator of a block: the block is the highest word of a counter, so that blocks never meet.

    Arguments:
        seed: seed sequence of all blocks.
        block: its number.
        purpose: one of several streams under the same seed.
    """
    key: Any = _Key(seed.generate_state(2, np.uint64))
    return np.random.Generator(np.random.Philox(key, counter=(0, 0, purpose, block)))


class _Key(ISeedSequence):
    """A key, in place of a seed: the same stream as from Philox's argument ``key``, which asks the system for entropy
    first, in several times the time."""

    def __init__(self, key: np.ndarray) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return self.key
