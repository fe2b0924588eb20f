"""Random streams: one seed per run, split by purpose, so that methods under one seed share what they can share."""

from typing import Literal, get_args

import numpy as np

Purpose = Literal[
    "data",
    "partition",
    "fading",
    "noise",
    "downlink",
    "model",
    "batches",
    "participation",
    "work",
    "communication",
    "labels",
]


def sequence(seed: int, purpose: Purpose) -> np.random.SeedSequence:
    """The seed sequence of one purpose of one run; it depends on nothing else."""
    return np.random.SeedSequence(seed, spawn_key=(get_args(Purpose).index(purpose),))


def number(seed: int, purpose: Purpose) -> int:
    """A whole number below 2**31 from the stream of one purpose of one run, for libraries that take such seeds."""
    return int(sequence(seed, purpose).generate_state(1)[0] >> 1)


def generator(seed: int, purpose: Purpose) -> np.random.Generator:
    """A generator on the stream of one purpose of one run."""
    return np.random.Generator(np.random.Philox(sequence(seed, purpose)))
