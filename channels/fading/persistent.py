"""What persists from block to block: drawn from a stream of its own, beside that of the blocks."""

from collections.abc import Iterator

import numpy as np

from channels.fading.block import FIRST_PIECE
from channels.fading.protocol import Gains

PERSISTS = 1
"""Number of that stream."""


def stream(seed: np.random.SeedSequence) -> np.random.Generator:
    """The generator of what persists under a seed."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, PERSISTS)))


def pieces(realisation: Gains, block: int) -> Iterator[np.ndarray]:
    """A band without end of gains that can be had from any subcarrier on only together with those before.

    Shape [workers, antennas, subcarriers of the piece], complex: 8, as many again, twice as many, and so on.
    """
    done, count = 0, FIRST_PIECE
    while True:
        yield realisation.gains(block, count)[..., done:]
        done, count = count, 2 * count
