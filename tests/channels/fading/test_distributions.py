"""Laws of Rayleigh and Rician gains against SciPy's."""

import numpy as np
import pytest
from scipy import stats

from otafl.channels.fading import Layout, RayleighFading, RicianFading, realise

WORKERS, SUBCARRIERS = 200, 1000
SAMPLES = WORKERS * SUBCARRIERS


def gains(model, block=0):
    return realise(model, Layout(WORKERS), np.random.SeedSequence(0)).gains(block, SUBCARRIERS)[:, 0]


def test_rayleigh_gains_are_circular_complex_normal_ones_of_mean_square_one():
    """E h = 0 with variance 1, E h² = 0 with variance E|h|⁴ = 2, no correlation of workers or subcarriers."""
    h = gains(RayleighFading())
    assert np.mean(np.abs(h) ** 2) == pytest.approx(1.0, abs=5 / np.sqrt(SAMPLES))
    assert abs(h.mean()) < 5 / np.sqrt(SAMPLES)
    assert abs(np.mean(h**2)) < 5 * np.sqrt(2 / SAMPLES)
    assert stats.kstest(np.abs(h.ravel()) ** 2, "expon").pvalue > 1e-3
    assert stats.kstest(np.angle(h.ravel()), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3
    for axis in range(2):
        assert abs(np.mean(h * np.roll(h, 1, axis).conj())) < 5 / np.sqrt(SAMPLES)


@pytest.mark.parametrize("k_db", [-10.0, 0.0, 6.0, 20.0])
def test_the_envelope_is_rician(k_db):
    """Also E|h|⁴ = 1 + (2K + 1)/(K + 1)², within 5 standard errors."""
    k, envelope = 10 ** (k_db / 10), np.abs(gains(RicianFading(k_db))).ravel()
    theirs = stats.rice(np.sqrt(2 * k), scale=np.sqrt(1 / (2 * (k + 1))))
    assert stats.kstest(envelope[::10], theirs.cdf).pvalue > 1e-4
    fourth = envelope**4
    error = fourth.std() / np.sqrt(SAMPLES)
    assert fourth.mean() == pytest.approx(1 + (2 * k + 1) / (k + 1) ** 2, abs=5 * error)


def test_a_worker_keeps_the_phase_of_its_line_of_sight():
    """Its mean over subcarriers, which points there, is the same in all blocks; phases of workers are uniform."""
    now, later = (gains(RicianFading(20.0), block).mean(axis=1) for block in (0, 9))
    assert np.abs(np.angle(now / later)).max() < 0.1
    assert stats.kstest(np.angle(now) / (2 * np.pi) + 0.5, "uniform").pvalue > 1e-4


def test_limits_of_rician_fading_are_rayleigh_fading_and_none():
    np.testing.assert_allclose(gains(RicianFading(-400.0)), gains(RayleighFading()), atol=1e-12)
    np.testing.assert_allclose(np.abs(gains(RicianFading(400.0))), 1.0)
