"""Clipped OFDM: closed forms against waveforms, and limits."""

import numpy as np
import pytest

from channels.clipping import Clipping, demodulated, waveform
from channels.noise import complex_normal

SUBCARRIERS, SYMBOLS = 256, 400


@pytest.fixture(scope="module")
def symbols():
    return complex_normal(np.random.default_rng(0), (SYMBOLS, SUBCARRIERS))


def test_a_waveform_carries_its_symbols(symbols):
    np.testing.assert_allclose(demodulated(waveform(symbols), SUBCARRIERS), symbols, atol=1e-12)
    np.testing.assert_allclose(np.sum(np.abs(waveform(symbols)) ** 2), np.sum(np.abs(symbols) ** 2))


@pytest.mark.parametrize("backoff_db", [-6.0, 0.0, 3.0, 6.0])
def test_closed_forms_are_those_of_clipped_waveforms(symbols, backoff_db):
    """Over all frequencies; four standard errors of some 100,000 independent samples."""
    made, before = Clipping(backoff_db), waveform(symbols)
    after = made.clipped(before)
    power = np.sum(np.abs(before) ** 2)
    gain = np.sum(after * before.conj()).real / power
    assert gain == pytest.approx(made.gain, abs=0.005)
    assert np.sum(np.abs(after) ** 2) / power == pytest.approx(made.radiated, abs=0.005)
    distortion = np.sum(np.abs(after - made.gain * before) ** 2) / power
    assert distortion == pytest.approx(made.distortion, rel=0.05)


@pytest.mark.parametrize("backoff_db", [0.0, 3.0, 6.0])
def test_most_distortion_is_in_the_band(symbols, backoff_db):
    """The receiver has the gain as computed, and between half and all of the distortion."""
    made = Clipping(backoff_db)
    heard = made.received(symbols)
    assert np.vdot(symbols, heard).real / np.vdot(symbols, symbols).real == pytest.approx(made.gain, abs=0.005)
    share = np.mean(np.abs(heard - made.gain * symbols) ** 2) / made.distortion
    assert 0.5 < share < 1


@pytest.mark.parametrize("backoff_db", [0.0, 6.0])
def test_distortion_is_uncorrelated_with_the_signal_and_from_symbol_to_symbol(symbols, backoff_db):
    made = Clipping(backoff_db)
    error = made.received(symbols) - made.gain * symbols
    scale = np.sqrt(np.mean(np.abs(error) ** 2))
    most = 4 / np.sqrt(error.size)
    assert abs(np.mean(error * symbols.conj())) / scale < 2 * most
    assert abs(np.mean(error[1:] * error[:-1].conj())) / scale**2 < most
    assert abs(np.mean(error**2)) / scale**2 < most


def test_limits():
    assert (Clipping(np.inf).gain, Clipping(np.inf).distortion, Clipping(np.inf).radiated) == (1, 0, 1)
    assert Clipping(12.0).distortion < 1e-6
    hard = Clipping(-60.0)
    assert hard.gain == pytest.approx(np.sqrt(np.pi) / 2 * hard.amplitude, rel=1e-2)
    assert hard.radiated == pytest.approx(hard.amplitude**2, rel=1e-3)
    assert hard.distortion == pytest.approx((1 - np.pi / 4) * hard.amplitude**2, rel=1e-2)


def test_nothing_is_clipped_of_a_silent_worker():
    assert not Clipping(0.0).clipped(np.zeros((1, 8))).any()
