"""Superposition against an explicit loop, and signal-to-noise ratios of what arrives."""

import numpy as np
import pytest

from otafl.channels.grid import Grid
from otafl.channels.multiple_access import aggregate, superpose
from otafl.channels.noise import complex_normal, matched_filter_variance
from otafl.channels.power import transmit_power_w, upload_budget


@pytest.mark.parametrize(("workers", "elements"), [(1, 1), (3, 7), (20, 4)])
def test_superposition_is_the_sum_over_workers_and_noise_is_divided_by_their_common_scaling(workers, elements):
    """One sample of noise for the receiver, of which an infinite budget leaves none."""
    rng = np.random.default_rng(0)
    signals, h = complex_normal(rng, (workers, elements), 3.0), complex_normal(rng, (workers, elements))
    z = complex_normal(rng, (elements,), 0.5)
    total = np.array([sum(h[n, i] * signals[n, i] for n in range(workers)) for i in range(elements)])
    np.testing.assert_allclose(superpose(signals, h, z), total + z, rtol=1e-12)
    strongest = max(np.sum(np.abs(x) ** 2) for x in signals)
    for budget in (1e-6, 0.3, 1e9, np.inf):
        np.testing.assert_allclose(aggregate(signals, h, z, budget), total + z / np.sqrt(budget / strongest), rtol=1e-9)
    np.testing.assert_array_equal(aggregate(0 * signals, h, 0.0, 1.0), np.zeros(elements))


NOISE_PSD, SYMBOLS, SNR_DB = 1e-9, 40_000, 3.0


def db(power: float) -> float:
    return 10 * np.log10(power)


def assert_near(measured_db: float, expected_db: float) -> None:
    """Within 5 standard deviations of a mean power of so many exponential samples, in dB."""
    assert abs(measured_db - expected_db) < 5 * 4.34 * np.sqrt(2 / SYMBOLS)


@pytest.mark.parametrize(("q", "over_db"), [(1, 11.76), (14, 0.30)])
def test_a_symbol_has_the_snr_times_its_length_in_periods(q, over_db):
    """Energy P·T/q over N0 is SNR·W·T/q: 11.76 dB above the SNR with one symbol in a slot, 0.30 dB with 14."""
    laid, rng = Grid(64, symbols_per_slot=q), np.random.default_rng(q)
    power = float(transmit_power_w(SNR_DB, laid.spacing_hz, NOISE_PSD))
    sent = complex_normal(rng, (1, SYMBOLS), power)
    noise = complex_normal(rng, (SYMBOLS,), matched_filter_variance(NOISE_PSD, laid.symbol_s))
    received = superpose(sent, np.ones((1, SYMBOLS)), noise)
    measured = db(np.mean(np.abs(sent) ** 2) / np.mean(np.abs(received - sent[0]) ** 2))
    assert_near(measured, SNR_DB + over_db)
    assert SNR_DB + over_db == pytest.approx(SNR_DB + db(15 / q), abs=5e-3)


@pytest.mark.parametrize(("elements_per_symbol", "over_db"), [(1, 3.01), (2, 0.0)])
def test_an_element_has_half_the_noise_of_its_symbol(elements_per_symbol, over_db):
    """One element has all of the power and the noise of the real part. Two share the power, too."""
    laid, rng = Grid(64, elements_per_symbol=elements_per_symbol), np.random.default_rng(5)
    power = float(transmit_power_w(SNR_DB, laid.spacing_hz, NOISE_PSD))
    elements = rng.standard_normal((1, SYMBOLS, 2)) * [1, elements_per_symbol == 2]
    signals = elements @ [1, 1j]
    noise = complex_normal(rng, (SYMBOLS,), matched_filter_variance(NOISE_PSD, laid.symbol_s))
    budget = upload_budget(power, SYMBOLS, "per_subcarrier")
    error = aggregate(signals, np.ones((1, SYMBOLS)), noise, budget) - signals[0]
    measured = db(np.mean(elements[..., 0] ** 2) / np.mean(error.real**2))
    assert_near(measured, SNR_DB + 11.76 + over_db)
