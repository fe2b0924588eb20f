"""Random streams of a run: its seed is split by purpose, so that methods share data, fading and noise."""

from typing import Any

import numpy as np

PURPOSES = (
    *("data", "partition", "fading", "noise", "downlink", "model", "batches", "participation", "work"),
    *("communication", "labels", "start", "sounding", "places", "eavesdropper", "clock", "neighbours", "attack"),
    *("surface", "cuts", "pretraining", "adapters", "masks", "oscillators"),
)
"""Purposes of random draws. The place of each is the number of its stream, so that new ones stand at the end."""


def sequence(seed: int, purpose: str) -> np.random.SeedSequence:
    """Return NumPy's seed sequence of a purpose in PURPOSES under a run's seed."""
    return np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),))


def number(seed: int, purpose: str) -> int:
    """Return a whole number from 0 to 2³¹ − 1 that a purpose has under a run's seed, as the seed of a library."""
    return int(sequence(seed, purpose).generate_state(1)[0] >> 1)


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Return a new random generator for a purpose under a run's seed.

    >>> generator(0, "fading").random() == generator(0, "fading").random()
    True
    """
    return np.random.Generator(np.random.Philox(sequence(seed, purpose)))


WORDS = 13
"""Number of words in the state of a generator."""


def state(rng: np.random.Generator) -> np.ndarray:
    """Return the state of a Philox generator, as words for ``set_state``. Shape [13] (WORDS), uint64."""
    now: dict[str, Any] = dict(rng.bit_generator.state)
    rest = now["buffer_pos"], now["has_uint32"], now["uinteger"]  # has_uint32: there is a spare word, which follows
    return np.array([*now["state"]["counter"], *now["state"]["key"], *now["buffer"], *rest], np.uint64)


def set_state(rng: np.random.Generator, words: np.ndarray) -> None:
    """Set a Philox generator to a result of ``state``."""
    now: dict[str, Any] = dict(rng.bit_generator.state)
    rest = dict(zip(("buffer_pos", "has_uint32", "uinteger"), map(int, words[10:]), strict=True))
    rng.bit_generator.state = now | rest | {"state": {"counter": words[:4], "key": words[4:6]}, "buffer": words[6:10]}
