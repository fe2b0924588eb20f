"""Rayleigh fading that is correlated in time, against Clarke's closed form."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import j0, j1

from otafl.channels.fading import JakesFading, Layout, plane_waves, realise
from otafl.channels.fading.plane_waves import BATCH, LIGHT_M_S, WAVES, Waves

LINKS, GAINS = 2000, (3, 2, 100)


def blocks(count, seed=0, **given):
    process = realise(JakesFading(**given), Layout(LINKS, block_iterations=10), np.random.SeedSequence(seed))
    return np.stack([process.gains(block, 4)[:, 0] for block in range(count)])


def test_correlation_in_time_is_clarkes():
    """J0(2πf_D·t) at 40 blocks of 10 ms, across batches of waves, within 5 standard errors; at rest it stays."""
    h = blocks(40)
    doppler = 0.8 * 3.5e9 / LIGHT_M_S
    found = np.mean(h[:1].conj() * h, axis=(1, 2))
    np.testing.assert_allclose(found, j0(2 * np.pi * doppler * 0.01 * np.arange(40)), atol=5 / np.sqrt(4 * LINKS))
    still = blocks(3, speed_m_s=0.0)
    np.testing.assert_allclose(still[2], still[0], atol=1e-12)


def test_powers_are_exponential_but_for_the_finite_number_of_waves():
    power = np.abs(blocks(1)) ** 2
    assert np.mean(power**2) == pytest.approx(2 - 1 / WAVES, abs=5 * np.std(power**2) / np.sqrt(power.size))
    assert np.mean(power < 0.1) == pytest.approx(-np.expm1(-0.1), abs=0.02)


def test_deep_fades_are_a_little_too_rare():
    """P(|h|² < x) is 1 - 1/(2·WAVES) of that of complex normal gains for small x, 0.975: by the resultant of unit
    vectors, √(K·x)·∫J1(√(K·x)·t)·J0(t)^K dt (Kluyver), and by half a million gains."""
    depth, rng = 0.03, np.random.default_rng(0)
    steps, radius = np.linspace(0, 8, 400_001), np.sqrt(WAVES * depth)
    theirs = radius * trapezoid(j1(radius * steps) * j0(steps) ** WAVES, steps)
    assert theirs / -np.expm1(-depth) == pytest.approx(1 - 1 / (2 * WAVES), abs=2e-3)
    drawn = (np.abs(Waves(plane_waves.draw(rng, (100_000,)), np.inf).gains(0)) ** 2 for _ in range(5))
    deep = sum(np.count_nonzero(power < depth) for power in drawn)
    assert deep == pytest.approx(5e5 * theirs, abs=3 * np.sqrt(5e5 * theirs))


def drawn():
    return plane_waves.draw(np.random.default_rng(0), GAINS)


@pytest.mark.parametrize("periods", [0.0, 0.093, 3.7, 250.0])
@pytest.mark.parametrize("block", [0, BATCH - 1, BATCH, 10 * BATCH + 37, 10**6])
def test_gains_are_the_sum_of_waves(periods, block):
    """In double precision, what single precision leaves of it: some 1e-6, in any number of periods."""
    angles, phases = drawn()
    rates = periods * np.cos(angles)
    turns = block * (rates - np.rint(rates))
    expected = np.exp(1j * (2 * np.pi * turns + phases)).sum(axis=0) / np.sqrt(WAVES)
    found = Waves(drawn(), periods).gains(block)
    assert found.shape == GAINS
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("periods", [np.inf, np.nan])
def test_one_block_for_ever_is_kept_alone(periods):
    made = Waves(drawn(), periods)
    np.testing.assert_allclose(made.gains(0), np.exp(1j * drawn()[1]).sum(axis=0) / np.sqrt(WAVES), atol=1e-5)
    assert made.kept.shape == (1, np.prod(GAINS))
