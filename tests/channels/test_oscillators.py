"""Shares of power that a window keeps and leaks, and phases of symbols, against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import j0

from otafl.channels.oscillators import Oscillators, kept_share, leaked_share

SPACING_HZ = 15e3
SEED = np.random.SeedSequence(7)


@given(st.floats(-2e4, 2e4), st.floats(1e-4, 1e-2))
def test_without_phase_noise_a_window_keeps_a_squared_sinc(shift_hz, window_s):
    assert kept_share(shift_hz, 0.0, window_s) == pytest.approx(np.sinc(shift_hz * window_s) ** 2, abs=1e-9)


@given(st.floats(-0.4, 0.4), st.floats(0, 500), st.integers(1, 14))
def test_other_subcarriers_leave_the_sum_of_their_shares(periods, linewidth_hz, window):
    shift_hz, away = periods * SPACING_HZ, np.r_[-4000:0, 1:4001] * SPACING_HZ
    summed = kept_share(shift_hz + away, linewidth_hz, window / SPACING_HZ).sum()
    assert leaked_share(shift_hz, linewidth_hz, window, SPACING_HZ) == pytest.approx(summed, abs=1e-4)


def test_a_small_offset_leaks_a_third_of_its_squared_angle():
    leaked = leaked_share(0.01 * SPACING_HZ, 0.0, 1, SPACING_HZ)
    assert leaked == pytest.approx((np.pi * 0.01) ** 2 / 3, rel=1e-2)


def test_doppler_shifts_leak_half_of_what_the_largest_one_leaks():
    """The mean of cos² over directions."""
    kept, leaked = Oscillators(doppler_hz=0.01 * SPACING_HZ).shares(np.zeros(1))
    assert leaked[0] == pytest.approx((np.pi * 0.01) ** 2 / 6, rel=1e-2)
    assert kept[0] + leaked[0] == pytest.approx(1, abs=1e-4)


def test_mean_gain_of_phase_noise_falls_exponentially():
    both = Oscillators(linewidth_hz=20.0, server_linewidth_hz=30.0)
    drawn = np.stack([both.phases(SEED, block, 20, 9) for block in range(2000)])
    expected = np.exp(-np.pi * 50.0 * both.symbol_s * np.arange(9))
    np.testing.assert_allclose(np.exp(1j * drawn).mean(axis=(0, 1)).real, expected, atol=0.02)


def test_uniform_offsets_have_the_same_variance_a_bound_and_a_sinc_as_mean_gain():
    offsets = Oscillators(offset_hz=100.0, uniform=True)
    drawn, times_s = offsets.offsets_hz(SEED, 0, 20_000), offsets.symbol_s * np.arange(6)
    assert drawn.std() == pytest.approx(100.0, rel=0.02)
    assert 0.999 < np.abs(drawn).max() / (np.sqrt(3) * 100.0) <= 1
    found = np.exp(1j * offsets.phases(SEED, 0, 20_000, 6)).mean(axis=0)
    np.testing.assert_allclose(found, np.sinc(2 * np.sqrt(3) * 100.0 * times_s), atol=0.02)


def test_the_servers_phase_is_common_to_all_workers():
    drawn = Oscillators(server_linewidth_hz=10.0).phases(SEED, 0, 3, 50)
    np.testing.assert_array_equal(drawn, drawn[:1].repeat(3, axis=0))
    assert drawn[:, 1:].all()


@pytest.mark.parametrize("redrawn", [False, True])
def test_offsets_stay_or_are_new_in_every_block_and_phase_noise_is_always_new(redrawn):
    both = Oscillators(offset_hz=10.0, redrawn=redrawn, linewidth_hz=1.0)
    first, again, other = (both.phases(SEED, block, 3, 4) for block in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    same = both.offsets_hz(SEED, 0, 3) == both.offsets_hz(SEED, 1, 3)
    assert (same != redrawn).all()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Oscillators(linewidth_hz=5.0), lambda ms: np.exp(-np.pi * 5e-3 * ms)),
        (Oscillators(doppler_hz=50.0), lambda ms: j0(2 * np.pi * 0.05 * ms)),
    ],
)
def test_a_held_gain_keeps_the_square_of_its_mean_correlation(made, expected):
    followed, kept = made.followed(np.zeros(1), 6), made.shares(np.zeros(1))[0]
    assert followed.share[0] == pytest.approx(kept[0] * np.mean(expected(np.arange(1, 7))) ** 2, rel=1e-9)


@pytest.mark.parametrize("pilots", [0, 1, 3])
@pytest.mark.parametrize(("linear", "offset_hz"), [(False, 15.0), (True, 15.0), (True, 600.0)])
def test_what_is_followed_is_what_a_receiver_measures(linear, offset_hz, pilots):
    """Rayleigh gains that turn and move: the power of a symbol along its estimate, and what is left of it. The next
    pilots, or the last of them, come after all data."""
    rng, made, period = np.random.default_rng(3), Oscillators(offset_hz=1.0, doppler_hz=20.0), 5
    ages = np.append(np.arange(period + 1), period + pilots)
    directions, phases = rng.uniform(0, 2 * np.pi, (2, 20_000, 20, 1))
    moving = np.exp(1j * (phases + 2 * np.pi * 20.0 * np.cos(directions) * made.symbol_s * ages)).sum(axis=1)
    carrier = np.exp(2j * np.pi * offset_hz * made.symbol_s * ages)
    weight = ages[1:-1] / ages[-1] if linear else np.zeros(period)
    estimate = ((1 - weight) * moving[:, :1] + weight * moving[:, -1:]) * (carrier[1:-1] if linear else 1.0)
    along = np.mean((moving * carrier)[:, 1:-1] * estimate.conj()).real ** 2 / np.mean(np.abs(estimate) ** 2) / 20
    kept, _ = made.shares(np.array([offset_hz]))
    followed = made.followed(np.array([offset_hz]), period, linear=linear, pilots=pilots)
    assert followed.share[0] / kept[0] == pytest.approx(along, rel=0.03)
    assert followed.share[0] * (1 + followed.turned[0]) + followed.moved[0] == pytest.approx(1, abs=1e-3)


def test_between_two_pilots_a_wiener_phase_is_a_bridge():
    """On the line between them it has the variance 2πβ·t(D - t)/D, with a pilot and 8 symbols of data in D = 9."""
    made, age = Oscillators(linewidth_hz=5.0), np.arange(1, 9)
    followed, kept = made.followed(np.zeros(2), 8, linear=True, pilots=1), made.shares(np.zeros(2))[0]
    expected = np.mean(np.exp(-np.pi * 5e-3 * age * (9 - age) / 9)) ** 2
    np.testing.assert_allclose(followed.share / kept, expected)
    assert followed.turned.shape == (2,)
