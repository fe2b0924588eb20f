"""Random streams of a run: its seed is split by purpose, so that methods share data, fading and noise."""

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
    "clock": 15,
    "neighbours": 16,
    "attack": 17,
    "surface": 18,
    "cuts": 19,
    "pretraining": 20,
    "adapters": 21,
    "masks": 22,
}
"""Purposes of random draws, with the number of the stream of each. Numbers never change: results depend on them."""


def sequence(seed: int, purpose: str) -> np.random.SeedSequence:
    """Return NumPy's seed sequence of a purpose under a run's seed.

    Arguments:
        seed: seed of the run, ``run.seed`` or a later one.
        purpose: name in PURPOSES, such as "fading".
    """
    return np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose],))


def number(seed: int, purpose: str) -> int:
    """Return a whole number from 0 to 2³¹ − 1 that a purpose has under a run's seed, as the seed of a library.

    Arguments:
        seed: seed of the run.
        purpose: name in PURPOSES, such as "model".
    """
    return int(sequence(seed, purpose).generate_state(1)[0] >> 1)


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Return a new random generator for a purpose under a run's seed; equal arguments give equal numbers.

    Arguments:
        seed: seed of the run.
        purpose: name in PURPOSES, such as "fading".
    """
    return np.random.Generator(np.random.Philox(sequence(seed, purpose)))


WORDS = 13
"""Number of words in the state of a generator."""


def state(rng: np.random.Generator) -> np.ndarray:
    """Return the state of a Philox generator, as words for ``set_state``. Shape [13] (WORDS), uint64.

    The words are counter (4), key (2), buffer (4), place in the buffer, flag of a spare word, and that word.

    Arguments:
        rng: NumPy generator over a Philox bit generator; it stays unchanged.
    """
    now: Any = rng.bit_generator.state
    rest = now["buffer_pos"], now["has_uint32"], now["uinteger"]
    return np.array([*now["state"]["counter"], *now["state"]["key"], *now["buffer"], *rest], np.uint64)


def set_state(rng: np.random.Generator, words: np.ndarray) -> None:
    """Set a Philox generator to a state.

    Arguments:
        rng: NumPy generator over a Philox bit generator.
        words: result of ``state``. Shape [13] (WORDS), uint64.
    """
    now: Any = rng.bit_generator.state
    rest = dict(zip(("buffer_pos", "has_uint32", "uinteger"), map(int, words[10:]), strict=True))
    rng.bit_generator.state = now | rest | {"state": {"counter": words[:4], "key": words[4:6]}, "buffer": words[6:10]}
