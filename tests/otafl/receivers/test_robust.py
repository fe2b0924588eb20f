"""Median and trimmed mean of workers' vectors against NumPy and SciPy."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.stats import trim_mean

from otafl.receivers import Median, Sum, TrimmedMean
from tests.otafl.scenario.refusal import refused


def vectors(workers: int) -> np.ndarray:
    return np.random.default_rng(workers).standard_normal((workers, 30, 2))


@pytest.mark.parametrize("workers", [1, 2, 5, 10])
def test_median_is_numpys(workers):
    found = Median().combined(tf.constant(vectors(workers))) / workers
    np.testing.assert_allclose(found, np.median(vectors(workers), axis=0), rtol=1e-12)


@pytest.mark.parametrize("workers", [1, 2, 5, 10])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.49])
def test_trimmed_mean_is_scipys(workers, share):
    found = TrimmedMean(share).combined(tf.constant(vectors(workers))) / workers
    np.testing.assert_allclose(found, trim_mean(vectors(workers), share), rtol=1e-12)


def test_nothing_trimmed_is_the_sum():
    given = tf.constant(vectors(7))
    np.testing.assert_allclose(TrimmedMean(0.0).combined(given), Sum().combined(given), rtol=1e-12)


def test_a_minority_cannot_move_the_middle_beyond_honest_values():
    given = vectors(9)
    given[:4] = 1e9
    honest = given[4:]
    for receiver in (Median(), TrimmedMean(0.45)):
        middle = receiver.combined(tf.constant(given)).numpy() / 9
        assert (honest.min(axis=0) - 1e-12 <= middle).all()
        assert (middle <= honest.max(axis=0) + 1e-12).all()


BASE = {"method": "FedAvg", "problem.kind": "classification", "problem.dataset": "digits", "uplink.kind": "digital"}


@pytest.mark.parametrize("receiver", ["median", "trimmed_mean"])
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"uplink.kind": "analog"}, "over the air only their sum arrives"),
        ({"method": "SCAFFOLD"}, "needs their sums"),
        ({"federation.weights": "samples"}, "equal weights"),
        ({"uplink.compressor": "top_k"}, "most elements of a sparse vector are 0"),
    ],
)
def test_refusals(receiver, keys, said):
    assert said in refused(BASE | {"uplink.receiver": receiver} | keys)
