"""Superposition against an explicit loop, and aggregation under a power budget."""

import numpy as np
import pytest

from otafl.channels.grid import Grid
from otafl.channels.multiple_access import aggregate, superpose
from otafl.channels.noise import awgn_waveform, complex_normal, matched_filter, matched_filter_variance
from otafl.channels.power import common_scaling, transmit_power_w, upload_budget


def draw(workers: int, elements: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return complex_normal(rng, (workers, elements), 3.0), complex_normal(rng, (workers, elements))


@pytest.mark.parametrize(("workers", "elements"), [(1, 1), (3, 7), (20, 4)])
def test_superposition_is_the_sum_over_workers(workers, elements):
    signals, h = draw(workers, elements)
    noise = complex_normal(np.random.default_rng(9), (elements,))
    received = superpose(signals, h, noise)
    assert received.shape == (elements,)
    for i in range(elements):
        total = noise[i]
        for n in range(workers):
            total += h[n, i] * signals[n, i]
        assert received[i] == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("budget", [1e-12, 0.3, 1.0, 1e9])
def test_aggregate_without_noise_is_exact_at_any_budget(budget):
    signals, h = draw(12, 30)
    np.testing.assert_allclose(aggregate(signals, h, 0.0, budget), np.sum(h * signals, axis=0), rtol=1e-11)


def test_noise_is_divided_by_the_common_scaling():
    """The error is z/α sample by sample, so it falls with the square root of the budget."""
    signals, h = draw(5, 40)
    z = complex_normal(np.random.default_rng(1), (40,), 0.5)
    for budget in (0.1, 10.0):
        error = aggregate(signals, h, z, budget) - np.sum(h * signals, axis=0)
        np.testing.assert_allclose(error, z / common_scaling(signals, budget), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("budget", [0.5, 50.0])
def test_error_variance_is_noise_variance_over_scaling_squared(budget):
    signals, h = draw(4, 40_000)
    variance = 0.2
    noise = complex_normal(np.random.default_rng(2), (signals.shape[1],), variance)
    error = aggregate(signals, h, noise, budget) - np.sum(h * signals, axis=0)
    strongest = max(np.sum(np.abs(x) ** 2) for x in signals)
    expected = variance * strongest / budget
    assert np.mean(np.abs(error) ** 2) == pytest.approx(expected, rel=5 / np.sqrt(error.size))


def test_receiver_has_one_noise_sample_however_many_workers():
    """Splitting a worker's signal between many leaves the received noise as it is."""
    z = complex_normal(np.random.default_rng(3), (6,))
    for workers in (1, 100):
        received = superpose(np.full((workers, 6), 1 / workers), np.ones((workers, 6)), z)
        np.testing.assert_allclose(received - 1, z, rtol=1e-12, atol=1e-12)


def test_strongest_worker_limits_all():
    """A loud worker lowers everyone's amplitude: quadrupling its energy halves α."""
    signals = draw(3, 10)[0]
    signals[0] *= 100
    louder = signals * np.array([[2.0], [1.0], [1.0]])
    assert common_scaling(louder, 1.0) == pytest.approx(common_scaling(signals, 1.0) / 2, rel=1e-12)


def test_infinite_budget_is_noise_free():
    """channel.snr_db = inf gives an infinite power, at which the receiver has the sum itself."""
    signals, h = draw(3, 4)
    received = aggregate(signals, h, np.ones(4), np.inf)
    np.testing.assert_allclose(received, np.sum(h * signals, axis=0), rtol=1e-12)


def test_nothing_sent_is_nothing_received():
    received = aggregate(np.zeros((3, 4), complex), draw(3, 4)[1], 0.0, 1.0)
    np.testing.assert_array_equal(received, np.zeros(4))


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


def test_a_symbol_of_a_waveform_has_the_same_snr():
    """The other route: 15 samples in a slot, each with the noise W·N0 of the subcarrier, and their mean."""
    laid, rng = Grid(64), np.random.default_rng(4)
    power = float(transmit_power_w(SNR_DB, laid.spacing_hz, NOISE_PSD))
    noise = awgn_waveform(rng, (SYMBOLS, 15), NOISE_PSD, laid.spacing_hz)
    assert_near(db(power / np.mean(np.abs(noise) ** 2)), SNR_DB)
    assert_near(db(power / np.mean(np.abs(matched_filter(noise)) ** 2)), SNR_DB + 11.76)


@pytest.mark.parametrize(("elements_per_symbol", "over_db"), [(1, 3.01), (2, 0.0)])
def test_an_element_has_half_the_noise_of_its_symbol(elements_per_symbol, over_db):
    """One element has all of the power and the noise of the real part. Two share the power, too."""
    laid, rng = Grid(64, elements_per_symbol=elements_per_symbol), np.random.default_rng(5)
    power = float(transmit_power_w(SNR_DB, laid.spacing_hz, NOISE_PSD))
    elements = rng.standard_normal((1, SYMBOLS, 2)) * [1, elements_per_symbol == 2]
    signals = elements @ [1, 1j]
    noise = complex_normal(rng, (SYMBOLS,), matched_filter_variance(NOISE_PSD, laid.symbol_s))
    error = (
        aggregate(signals, np.ones((1, SYMBOLS)), noise, upload_budget(power, SYMBOLS, "per_subcarrier")) - signals[0]
    )
    measured = db(np.mean(elements[..., 0] ** 2) / np.mean(error.real**2))
    assert_near(measured, SNR_DB + 11.76 + over_db)
