"""Rayleigh fading that is correlated in time, against Clarke's closed form."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import j0, j1

from otafl.channels.fading import JakesFading, Layout, plane_waves, realise
from otafl.channels.fading.plane_waves import LIGHT_M_S, WAVES, Waves

LINKS = 2000


def blocks(count, seed=0, **given):
    process = realise(JakesFading(**given), Layout(LINKS, block_iterations=10), np.random.SeedSequence(seed))
    return np.stack([process.gains(block, 4)[:, 0] for block in range(count)])


def test_correlation_in_time_is_clarkes():
    """J0(2πf_D·t) at 40 blocks of 10 ms, across the batches in which waves are turned, within 5 standard errors."""
    h = blocks(40)
    doppler = 0.8 * 3.5e9 / LIGHT_M_S
    lags = np.arange(40)
    found = np.mean(h[:1].conj() * h, axis=(1, 2))
    np.testing.assert_allclose(found, j0(2 * np.pi * doppler * 0.01 * lags), atol=5 / np.sqrt(4 * LINKS))


def test_powers_are_exponential_but_for_the_finite_number_of_waves():
    power = np.abs(blocks(1)) ** 2
    assert np.mean(power**2) == pytest.approx(2 - 1 / WAVES, abs=5 * np.std(power**2) / np.sqrt(power.size))
    assert np.mean(power < 0.1) == pytest.approx(-np.expm1(-0.1), abs=0.02)


def test_deep_fades_are_a_little_too_rare():
    """P(|h|² < x) is 1 - 1/(2·WAVES) of that of complex normal gains for small x, 0.975: by the resultant of unit
    vectors, √(K·x)·∫J1(√(K·x)·t)·J0(t)^K dt (Kluyver), and by a million gains."""
    depth, rng = 0.03, np.random.default_rng(0)
    steps, radius = np.linspace(0, 8, 400_001), np.sqrt(WAVES * depth)
    theirs = radius * trapezoid(j1(radius * steps) * j0(steps) ** WAVES, steps)
    assert theirs / -np.expm1(-depth) == pytest.approx(1 - 1 / (2 * WAVES), abs=2e-3)
    drawn = (np.abs(Waves(plane_waves.draw(rng, (100_000,)), np.inf).gains(0)) ** 2 for _ in range(10))
    assert sum(map(np.count_nonzero, (power < depth for power in drawn))) == pytest.approx(
        1e6 * theirs, abs=3 * np.sqrt(1e6 * theirs)
    )


def test_who_does_not_move_keeps_the_channel():
    still = blocks(3, speed_m_s=0.0)
    np.testing.assert_allclose(still[2], still[0], atol=1e-12)


def test_a_fast_channel_forgets():
    fast = blocks(2, speed_m_s=300.0)
    assert abs(np.mean(fast[0].conj() * fast[1])) < 0.1
