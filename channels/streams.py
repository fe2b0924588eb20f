"""Random streams that depend on a key and the number of a block alone, whatever is drawn before or beside."""

import numpy as np


def of_block(key: np.ndarray, block: int, purpose: int = 0) -> np.random.Generator:
    """The generator of a block: the block is the highest word of a counter, so that blocks never meet.

    Arguments:
        key: of the counter-based generator, two words of a seed sequence.
        block: its number.
        purpose: one of several streams under the same key.
    """
    return np.random.Generator(np.random.Philox(key=key, counter=(0, 0, purpose, block)))
