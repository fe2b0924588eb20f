"""Random streams: one seed per run, split by purpose, so that methods under one seed share what they can share."""

from typing import Any

import numpy as np

PURPOSES = {
    "data": 0,
    "partition": 1,
    "fading": 2,
    "noise": 3,
    "downlink": 4,
    "model": 5,
    "batches": 6,
    "participation": 7,
    "work": 8,
    "communication": 9,
    "labels": 10,
    "start": 11,
    "sounding": 12,
    "places": 13,
    "eavesdropper": 14,
}
"""What is drawn, with the number of its stream, which never changes: every result depends on it."""


def sequence(seed: int, purpose: str) -> np.random.SeedSequence:
    """The seed sequence of one purpose of one run; it depends on nothing else."""
    return np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose],))


def number(seed: int, purpose: str) -> int:
    """A whole number below 2**31 from the stream of one purpose of one run, for libraries that take such seeds."""
    return int(sequence(seed, purpose).generate_state(1)[0] >> 1)


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A generator on the stream of one purpose of one run."""
    return np.random.Generator(np.random.Philox(sequence(seed, purpose)))


WORDS = 13
"""Numbers in the state of a generator."""


def state(rng: np.random.Generator) -> np.ndarray:
    """Where a generator stands, as numbers that ``set_state`` takes. Shape [WORDS], uint64."""
    now: Any = rng.bit_generator.state
    rest = now["buffer_pos"], now["has_uint32"], now["uinteger"]
    return np.array([*now["state"]["counter"], *now["state"]["key"], *now["buffer"], *rest], np.uint64)


def set_state(rng: np.random.Generator, words: np.ndarray) -> None:
    """Let a generator go on from where another one stood."""
    now: Any = rng.bit_generator.state
    rest = dict(zip(("buffer_pos", "has_uint32", "uinteger"), map(int, words[10:]), strict=True))
    rng.bit_generator.state = now | rest | {"state": {"counter": words[:4], "key": words[4:6]}, "buffer": words[6:10]}
