"""Rayleigh fading: moments and distribution from theory, and agreement with Sionna's."""

import numpy as np
import pytest
from scipy import stats

from otafl.channels.fading import RayleighFading

SAMPLES = 200_000
LEVEL = 1e-3


@pytest.fixture(scope="module")
def gains():
    return RayleighFading().sample(np.random.default_rng(1), 100, SAMPLES // 100)


def test_unit_mean_power(gains):
    assert np.mean(np.abs(gains) ** 2) == pytest.approx(1.0, abs=5 / np.sqrt(SAMPLES))


def test_centred_and_circular(gains):
    """E h = 0 with variance 1, and E h² = 0 with variance E|h|⁴ = 2."""
    assert abs(gains.mean()) < 5 / np.sqrt(SAMPLES)
    assert abs(np.mean(gains**2)) < 5 * np.sqrt(2 / SAMPLES)


def test_power_is_exponential(gains):
    assert stats.kstest(np.abs(gains.ravel()) ** 2, "expon").pvalue > LEVEL


def test_phase_is_uniform(gains):
    assert stats.kstest(np.angle(gains.ravel()), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > LEVEL


@pytest.mark.parametrize("shift", [(1, 0), (0, 1)])
def test_neighbouring_workers_and_subcarriers_are_uncorrelated(gains, shift):
    other = np.roll(gains, shift, axis=(0, 1))
    assert abs(np.mean(gains * other.conj())) < 5 / np.sqrt(SAMPLES)


def test_rayleigh_agrees_with_sionna(gains, sionna):
    """Two-sample Kolmogorov-Smirnov test on |h|² against Sionna's Rayleigh block fading, and equal means."""
    theirs, _ = sionna.channel.RayleighBlockFading(num_rx=1, num_rx_ant=1, num_tx=20, num_tx_ant=1)(1000, 1)
    power = np.abs(theirs.numpy().ravel()) ** 2
    assert stats.ks_2samp(np.abs(gains.ravel()[: power.size]) ** 2, power).pvalue > LEVEL
    assert power.mean() == pytest.approx(1.0, abs=5 / np.sqrt(power.size))
