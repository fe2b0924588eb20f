"""Receive scalings: weights by hand, and an estimate of the sum without bias."""

import numpy as np

from otafl.channels.multiple_access import superpose
from otafl.channels.precoding import TruncatedInversion
from otafl.channels.receive_scaling import SpeakerCount


def test_speaker_count_scales_by_those_who_spoke(rayleigh):
    """Three workers, of whom 3, 1 and 0 speak; what is received from nobody is thrown away."""
    weights = SpeakerCount().weights(rayleigh(3, 3), np.array([3, 1, 0]))
    np.testing.assert_array_equal(weights, [1.0, 3.0, 0.0])


def test_sum_estimate_is_unbiased(rayleigh):
    """The same messages under many fadings: the mean estimate is their sum, within 5 standard errors."""
    message = np.array([[1.0], [-2.0], [5.0], [0.5], [3.0]])
    h = rayleigh(len(message), 100_000)
    coefficients = TruncatedInversion(0.8).coefficients(h)
    spoke = np.count_nonzero(coefficients, axis=0)
    estimates = (SpeakerCount().weights(h, spoke) * superpose(coefficients * message, h))[spoke > 0].real
    assert np.var(estimates) > 1
    assert abs(estimates.mean() - message.sum()) < 5 * estimates.std() / np.sqrt(estimates.size)
