"""Receive scalings: weights by hand, and an estimate of the sum without bias."""

import numpy as np
import pytest

from otafl.channels.multiple_access import superpose
from otafl.channels.precoding import TruncatedInversion
from otafl.channels.receive_scaling import AsReceived, SpeakerCount


def test_as_received_weighs_nothing(rayleigh):
    weights = AsReceived().weights(rayleigh(3, 4), np.array([3, 2, 0, 1]))
    np.testing.assert_array_equal(weights, np.ones(4))


def test_speaker_count_scales_by_those_who_spoke(rayleigh):
    """Three workers, of whom 3, 1 and 0 speak; what is received from nobody is thrown away."""
    weights = SpeakerCount().weights(rayleigh(3, 3), np.array([3, 1, 0]))
    np.testing.assert_array_equal(weights, [1.0, 3.0, 0.0])


@pytest.mark.parametrize("scaling", [AsReceived(), SpeakerCount()])
def test_weights_of_many_blocks_are_those_of_each(rayleigh, scaling):
    h = np.stack([rayleigh(5, 7, seed) for seed in range(3)])
    spoke = np.random.default_rng(0).integers(0, 6, (3, 7))
    weights = scaling.weights(h, spoke)
    assert weights.shape == spoke.shape
    for block in range(3):
        np.testing.assert_array_equal(weights[block], scaling.weights(h[block], spoke[block]))
    assert not scaling.unit or np.all(weights == 1)


def test_sum_estimate_is_unbiased(rayleigh):
    """The same messages under many fadings: the mean estimate is their sum, within 5 standard errors."""
    message = np.array([[1.0], [-2.0], [5.0], [0.5], [3.0]])
    h = rayleigh(len(message), 100_000)
    coefficients = TruncatedInversion(0.8).coefficients(h)
    spoke = np.count_nonzero(coefficients, axis=0)
    estimates = (SpeakerCount().weights(h, spoke) * superpose(coefficients * message, h))[spoke > 0].real
    assert np.var(estimates) > 1
    assert abs(estimates.mean() - message.sum()) < 5 * estimates.std() / np.sqrt(estimates.size)
