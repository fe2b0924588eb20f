"""Clipped OFDM: closed forms against waveforms, and limits."""

import math

import numpy as np
import pytest

from otafl.channels.clipping import ORDERS, Clipping, _series
from otafl.channels.fading.tdl import profile
from otafl.channels.noise import complex_normal
from otafl.channels.waveform import Amplifier, Ofdm

SUBCARRIERS, SYMBOLS = 256, 600
OFDM = Ofdm(SUBCARRIERS)


def received(backoff_db: float, symbols: np.ndarray) -> np.ndarray:
    """Symbols behind the amplifier."""
    samples = OFDM.windowed(OFDM.spectrum(symbols))
    return OFDM.transformed(Amplifier(backoff_db).amplified(samples))[:, OFDM.bins]


def share_in_band(order: int) -> float:
    """Chance that a sum of so many uniform numbers on (-1/2, 1/2) is in that interval too (Irwin-Hall)."""
    middle = (order + 1) // 2
    terms = [(-1) ** j * math.comb(order + 1, j) * (middle - j) ** order for j in range(middle)]
    return sum(terms) / math.factorial(order)


@pytest.mark.parametrize("backoff_db", [-6.0, 0.0, 3.0, 6.0, 9.0])
def test_an_even_band_has_the_irwin_hall_share_of_each_order(backoff_db):
    """2/3 of the third order, 11/20 of the fifth. All orders have the power of the distortion, within 0.6%."""
    assert [share_in_band(3), share_in_band(5)] == pytest.approx([2 / 3, 11 / 20])
    clipping = Clipping(backoff_db)
    powers = _series(clipping.amplitude).coef[1:]
    assert powers.sum() == pytest.approx(clipping.distortion, rel=6e-3)
    shares = [share_in_band(2 * k + 1) for k in range(1, ORDERS + 1)]
    in_band = clipping.distortion_ratio(np.ones(1000)).mean()
    assert in_band == pytest.approx(powers @ shares, rel=5e-3)
    assert in_band < 2 / 3 * clipping.distortion


def gains(name: str) -> np.ndarray:
    """Gains of subcarriers; those of delay line D have a spread of 300 ns."""
    rng = np.random.default_rng(5)
    if name != "D":
        return np.ones(SUBCARRIERS, complex) if name == "none" else complex_normal(rng, (SUBCARRIERS,))
    line = profile(name)
    taps = complex_normal(rng, (len(line.delays),)) * np.sqrt(line.powers)
    ramps = np.exp(-2j * np.pi * 300e-9 * 15e3 * np.outer(line.delays, np.arange(SUBCARRIERS)))
    return taps @ ramps + np.sqrt(line.line_of_sight)


@pytest.mark.parametrize("elements", [1, 2])
@pytest.mark.parametrize("backoff_db", [0.0, 3.0, 6.0])
@pytest.mark.parametrize("name", ["none", "D", "rayleigh"])
def test_distortion_on_real_parts_has_the_spectrum_of_waveforms(name, backoff_db, elements):
    """Distortion of elements inverted where |h| >= 0.3: on all of the band, its outer half, and silent symbols."""
    rng, h = np.random.default_rng(6), gains(name)
    parts = rng.standard_normal((elements, SYMBOLS, SUBCARRIERS)) / np.sqrt(elements)
    power = np.where(np.abs(h) >= 0.3, 1 / np.abs(h) ** 2, 0)
    symbols = (parts[0] if elements == 1 else parts[0] + 1j * parts[1]) * np.sqrt(power) * np.abs(h) / h
    error = (received(backoff_db, symbols) - Clipping(backoff_db).gain * symbols) * h / np.abs(h)
    expected = Clipping(backoff_db).distortion_ratio(power, h if elements == 1 else None) / 2 * power.mean()
    outer = np.abs(np.arange(SUBCARRIERS) - SUBCARRIERS / 2) > SUBCARRIERS / 4
    for places in (np.ones(SUBCARRIERS, bool), outer, power == 0):
        if places.any():
            found = np.mean(error.real[:, places] ** 2, axis=1)
            deviation = found.std(ddof=1) / np.sqrt(SYMBOLS)
            assert abs(found.mean() - expected[places].mean()) < 3 * deviation + 0.04 * found.mean()


def test_limits():
    ideal, hard = Clipping(np.inf), Clipping(-60.0)
    assert (ideal.gain, ideal.distortion, ideal.radiated) == (1, 0, 1)
    assert not ideal.distortion_ratio(np.ones(4)).any()
    assert not Clipping(0.0).distortion_ratio(np.zeros(4), np.zeros(4)).any()
    assert Clipping(12.0).distortion < 1e-6
    assert 0 < Clipping(15.0).distortion_ratio(np.ones(8), np.ones(8)).max() < 1e-6
    assert hard.gain == pytest.approx(np.sqrt(np.pi) / 2 * hard.amplitude, rel=1e-2)
    assert hard.radiated == pytest.approx(hard.amplitude**2, rel=1e-3)
    assert hard.distortion == pytest.approx((1 - np.pi / 4) * hard.amplitude**2, rel=1e-2)
