"""Median and trimmed mean of workers' vectors against NumPy and SciPy."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.stats import trim_mean

from otafl.receivers import Median, Sum, TrimmedMean


def vectors(workers: int) -> np.ndarray:
    return np.random.default_rng(workers).standard_normal((workers, 30, 2))


@pytest.mark.parametrize("workers", [1, 2, 5, 10])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.49])
def test_median_and_trimmed_mean_are_those_of_numpy_and_scipy(workers, share):
    given = vectors(workers)
    median, trimmed, total = (made.combined(tf.constant(given)) for made in (Median(), TrimmedMean(share), Sum()))
    np.testing.assert_allclose(median / workers, np.median(given, axis=0), rtol=1e-12)
    np.testing.assert_allclose(trimmed / workers, trim_mean(given, share), rtol=1e-12)
    np.testing.assert_allclose(total, given.sum(axis=0), rtol=1e-12)


def test_a_minority_cannot_move_the_middle_beyond_honest_values():
    given = vectors(9)
    given[:4] = 1e9
    honest = given[4:]
    for receiver in (Median(), TrimmedMean(0.45)):
        middle = receiver.combined(tf.constant(given)).numpy() / 9
        assert (honest.min(axis=0) - 1e-12 <= middle).all()
        assert (middle <= honest.max(axis=0) + 1e-12).all()
