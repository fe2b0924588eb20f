"""What persists from block to block: drawn from a stream of its own, beside that of the blocks."""

import numpy as np

PERSISTS = 1
"""Number of that stream."""


def stream(seed: np.random.SeedSequence) -> np.random.Generator:
    """The generator of what persists under a seed."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, PERSISTS)))
