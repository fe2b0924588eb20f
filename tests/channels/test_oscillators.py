"""Shares of power that a window keeps and leaks, and phases of symbols, against closed forms and samples of waveforms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.channels.oscillators import Oscillators, kept_share, leaked_share, offset_variance

SPACING_HZ = 15e3
WINDOW_S = 1 / SPACING_HZ
SEED = np.random.SeedSequence(7)


@given(st.floats(-2e4, 2e4), st.floats(1e-4, 1e-2))
def test_without_phase_noise_a_window_keeps_a_squared_sinc(shift_hz, window_s):
    assert kept_share(shift_hz, 0.0, window_s) == pytest.approx(np.sinc(shift_hz * window_s) ** 2, abs=1e-9)


@given(st.floats(-0.4, 0.4), st.floats(0, 500))
def test_shares_of_all_subcarriers_add_up_to_one(periods, linewidth_hz):
    shift_hz = periods * SPACING_HZ
    shares = kept_share(shift_hz, linewidth_hz, WINDOW_S), leaked_share(shift_hz, linewidth_hz, WINDOW_S, SPACING_HZ)
    assert sum(shares) == pytest.approx(1, abs=1e-3)


def test_a_small_offset_leaks_a_third_of_its_squared_angle():
    assert leaked_share(0.01 * SPACING_HZ, 0.0, WINDOW_S, SPACING_HZ) == pytest.approx(
        (np.pi * 0.01) ** 2 / 3, rel=1e-2
    )


@pytest.mark.parametrize(("periods", "linewidth_hz"), [(0.0, 300.0), (0.05, 0.0), (0.2, 0.0), (0.1, 300.0)])
def test_shares_are_those_of_sampled_symbols(periods, linewidth_hz):
    rng, subcarriers, symbols = np.random.default_rng(1), 256, 2000
    sent = np.exp(2j * np.pi * rng.uniform(size=(symbols, subcarriers)))
    samples, times = np.fft.ifft(sent, axis=1), (np.arange(subcarriers) + 0.5) / subcarriers * WINDOW_S
    steps = np.sqrt(2 * np.pi * linewidth_hz * WINDOW_S / subcarriers) * rng.standard_normal(samples.shape)
    turned = samples * np.exp(2j * np.pi * periods * SPACING_HZ * times + 1j * np.cumsum(steps, axis=1))
    received = np.fft.fft(turned, axis=1)
    common = np.mean(received * sent.conj(), axis=1, keepdims=True)  # of a symbol: all subcarriers turn alike
    kept = np.abs(common) ** 2
    leaked = np.mean(np.abs(received - common * sent) ** 2, axis=1)
    shift_hz = periods * SPACING_HZ
    for measured, expected in (
        (kept, kept_share(shift_hz, linewidth_hz, WINDOW_S)),
        (leaked, leaked_share(shift_hz, linewidth_hz, WINDOW_S, SPACING_HZ)),
    ):
        error = np.std(measured) / np.sqrt(symbols) + 2 / subcarriers * (
            1 - kept_share(shift_hz, linewidth_hz, WINDOW_S)
        )
        assert abs(np.mean(measured) - expected) < 3 * error + 1e-6


def test_mean_gain_of_phase_noise_falls_exponentially():
    both = Oscillators(linewidth_hz=20.0, server_linewidth_hz=30.0)
    drawn = np.stack([both.phases(SEED, block, 20, 8) for block in range(2000)])
    expected = np.exp(-np.pi * 50.0 * both.symbol_s * np.arange(1, 9))
    np.testing.assert_allclose(np.exp(1j * drawn).mean(axis=(0, 1)).real, expected, atol=0.02)


def test_mean_gain_of_normal_offsets_is_their_characteristic_function():
    offsets = Oscillators(offset_hz=100.0)
    drawn = offsets.phases(SEED, 0, 20_000, 5)
    expected = np.exp(-2 * (np.pi * 100.0 * offsets.symbol_s * np.arange(1, 6)) ** 2)
    np.testing.assert_allclose(np.exp(1j * drawn).mean(axis=0).real, expected, atol=0.02)


def test_offsets_stay_and_phase_noise_is_new_in_every_block():
    both = Oscillators(offset_hz=10.0, linewidth_hz=1.0)
    first, again, other = (both.phases(SEED, block, 3, 4) for block in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    np.testing.assert_array_equal(both.offsets_hz(SEED, 2), both.offsets_hz(SEED, 3)[:2])


def test_a_pilot_sets_the_phase_back():
    steady = Oscillators(offset_hz=10.0, pilot_period=3)
    drawn = steady.phases(SEED, 0, 4, 9)
    one_symbol = 2 * np.pi * steady.offsets_hz(SEED, 4) * steady.symbol_s
    np.testing.assert_allclose(drawn, np.outer(one_symbol, [1, 2, 3] * 3), atol=1e-12)


def test_no_offset_and_no_linewidth_change_nothing():
    still = Oscillators()
    assert still.synchronous
    assert not still.phases(SEED, 0, 3, 5).any()
    np.testing.assert_array_equal(still.amplitude(np.zeros(3)), 1.0)
    np.testing.assert_allclose(still.interference(np.zeros(3)), 0.0, atol=1e-12)


def test_least_squares_of_pilot_phases_has_the_variance_of_the_bound():
    rng, pilots, period_s, energy = np.random.default_rng(2), 8, 1e-3, 1e3
    noise = np.sqrt(0.5 / energy) * rng.standard_normal((20_000, pilots))  # of a phase, at a high energy
    times = period_s * (np.arange(pilots) - (pilots - 1) / 2)
    estimates = noise @ times / np.sum(times**2) / (2 * np.pi)
    assert np.var(estimates) == pytest.approx(offset_variance(energy, pilots, period_s), rel=0.03)
