"""Random streams that depend on a key and the number of a block alone, whatever is drawn before or beside."""

from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence


def of_block(key: np.ndarray, block: int, purpose: int = 0) -> np.random.Generator:
    """The generator of a block: the block is the highest word of a counter, so that blocks never meet.

    Arguments:
        key: of the counter-based generator, two words of a seed sequence.
        block: its number.
        purpose: one of several streams under the same key.
    """
    seed: Any = _Key(key)
    return np.random.Generator(np.random.Philox(seed, counter=(0, 0, purpose, block)))


class _Key(ISeedSequence):
    """A key, in place of a seed: the same stream as from Philox's argument ``key``, which asks the system for entropy
    first, in several times the time."""

    def __init__(self, key: np.ndarray) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return self.key
