"""Characters of a generated text, whose law is known, so that the least loss and the best accuracy are known, too."""

import numpy as np

from otafl.data.samples import Samples
from otafl.numerics import seeds
from otafl.settings.problem import Problem

ALPHABET, WINDOW = 16, 8
"""Number of characters, and how many of them a sample shows."""
LAW = (0.7, 0.2, 0.1)
"""Chances of the three characters that may follow two given ones. Their entropy is the least loss, 0.802 nats."""
TEST_SHARE = 0.2


def load(problem: Problem, seed: int) -> Samples:
    """Return samples of eight characters, numbers from 0 to 15, and the one that follows as label.

    Which three may follow two characters is drawn for each pair. Samples begin with two uniform characters.
    """
    rng = seeds.generator(seed, "data")
    count = problem.samples + max(1, round(TEST_SHARE * problem.samples))
    follows = followers(rng)
    text = np.empty((count, WINDOW + 1), np.uint8)
    text[:, :2] = rng.integers(ALPHABET, size=(count, 2))
    chosen = rng.choice(len(LAW), size=text.shape, p=LAW)
    for place in range(2, WINDOW + 1):
        text[:, place] = follows[text[:, place - 2], text[:, place - 1], chosen[:, place]]
    train, test = np.split(text, [problem.samples])
    labels, test_labels = train[:, -1].astype(np.int32), test[:, -1].astype(np.int32)
    return Samples(train[:, :-1], labels, test[:, :-1], test_labels, classes=ALPHABET)


def followers(rng: np.random.Generator) -> np.ndarray:
    """Return which three characters may follow each pair of them, the likeliest first. Shape [16, 16, 3], int."""
    return np.argsort(rng.random((ALPHABET,) * 3), axis=-1)[..., : len(LAW)]
