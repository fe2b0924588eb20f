"""Rician fading against its closed forms."""

import numpy as np
import pytest
from scipy import stats

from otafl.channels.fading import Layout, RayleighFading, RicianFading, realise

WORKERS, SUBCARRIERS = 200, 100


def gains(k_db, block=0, seed=0):
    model = RicianFading(k_db)
    return realise(model, Layout(WORKERS), np.random.SeedSequence(seed)).gains(block, SUBCARRIERS)[:, 0]


@pytest.mark.parametrize("k_db", [-10.0, 0.0, 6.0, 20.0])
def test_the_envelope_is_rician(k_db):
    """SciPy's Rice distribution, at a level of 1e-4."""
    k = 10 ** (k_db / 10)
    envelope = np.abs(gains(k_db)).reshape(-1)
    theirs = stats.rice(np.sqrt(2 * k), scale=np.sqrt(1 / (2 * (k + 1))))
    assert stats.kstest(envelope, theirs.cdf).pvalue > 1e-4


@pytest.mark.parametrize("k_db", [-10.0, 0.0, 6.0, 20.0])
def test_fourth_moment(k_db):
    """E|h|⁴ = 1 + (2K + 1)/(K + 1)², within 5 standard errors."""
    k = 10 ** (k_db / 10)
    fourth = np.abs(gains(k_db)) ** 4
    error = fourth.std() / np.sqrt(fourth.size)
    assert fourth.mean() == pytest.approx(1 + (2 * k + 1) / (k + 1) ** 2, abs=5 * error)


def test_a_worker_keeps_the_phase_of_its_line_of_sight():
    """Its mean over subcarriers, which points there, is the same in all blocks; phases of workers are uniform."""
    now, later = (gains(20.0, block).mean(axis=1) for block in (0, 9))
    assert np.abs(np.angle(now / later)).max() < 0.1
    assert stats.kstest(np.angle(now) / (2 * np.pi) + 0.5, "uniform").pvalue > 1e-4


def test_without_line_of_sight_it_is_rayleigh_fading():
    there = realise(RayleighFading(), Layout(WORKERS), np.random.SeedSequence(0)).gains(0, SUBCARRIERS)[:, 0]
    np.testing.assert_allclose(gains(-400.0), there, atol=1e-12)


def test_with_nothing_else_it_does_not_fade():
    np.testing.assert_allclose(np.abs(gains(400.0)), 1.0)
