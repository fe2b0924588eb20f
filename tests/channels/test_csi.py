"""Beliefs about the channel, and errors that nobody knows of, against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import exp1

from otafl.channels.csi import ChannelState, Sounding, known
from otafl.channels.effective_channel import reduce
from otafl.channels.grid import CYCLIC_PREFIX, Grid
from otafl.channels.imperfections import Imperfections, overlap
from otafl.channels.noise import complex_normal
from otafl.channels.precoding import ChannelInversion, TruncatedInversion
from otafl.channels.receive_scaling import AsReceived
from tests.channels.draws import gains

WORKERS, SUBCARRIERS = 500, 200


def sounded(h, seed=0, block=0, **given) -> ChannelState:
    return Sounding(Imperfections(**given), np.random.SeedSequence(seed)).sound(h, block)


@settings(max_examples=20)
@given(st.integers(1, 100), st.floats(-20, 40), st.sampled_from(["mmse", "least_squares"]))
def test_the_error_of_an_estimate(pilots, snr_db, estimator):
    """The variance is 1/(1 + E), E = n_p·SNR_p, uncorrelated with ĥ; of least squares 1/E, uncorrelated with h."""
    rng = np.random.default_rng(0)
    h = (rng.standard_normal((WORKERS, SUBCARRIERS, 2)) @ [1, 1j]) / np.sqrt(2)
    keys = {"pilots": pilots, "pilot_snr": 10 ** (snr_db / 10), "estimator": estimator}
    channel, imperfections, bound = sounded(h, **keys), Imperfections(**keys), 5 / np.sqrt(h.size)
    error, energy, linear = h - channel.worker, pilots * 10 ** (snr_db / 10), estimator == "mmse"
    variance = 1 / (linear + energy)
    assert imperfections.error_variance(1.0) == pytest.approx(variance)
    assert np.mean(np.abs(error) ** 2) == pytest.approx(variance, rel=bound)
    assert np.mean(np.abs(channel.worker) ** 2) == pytest.approx(imperfections.estimated_power(1.0), rel=3 * bound)
    assert abs(np.mean(error.conj() * (channel.worker if linear else h))) < bound * np.sqrt(variance)


def test_impossible_imperfections_are_refused():
    with pytest.raises(ValueError, match="must be one of mmse, least_squares"):
        Imperfections(estimator="zero")
    with pytest.raises(ValueError, match=r"timing_error_s = 6.7e-05: must be below the length of a symbol, 6.67e-05 s"):
        Imperfections(timing_error_s=6.7e-5, symbol_s=1 / 15e3)


@pytest.mark.parametrize("deviation", [0.1, 0.5, 2.0])
def test_phase_errors_cost_what_theory_says(deviation):
    """E|Re{e^jφ} - 1|² = 1 - 2e^(-s²/2) + (1 + e^(-2s²))/2, over workers of one phase each, a new one in each block."""
    h = gains(20_000, 1)
    arrival = reduce(sounded(h, phase_error_rad=deviation), ChannelInversion(), AsReceived()).arrival
    theirs = 1 - 2 * np.exp(-(deviation**2) / 2) + (1 + np.exp(-2 * deviation**2)) / 2
    squares = (arrival - 1) ** 2
    assert squares.mean() == pytest.approx(theirs, abs=5 * squares.std() / np.sqrt(squares.size))
    h = gains(5, 8)
    turns = [sounded(h, block=block, phase_error_rad=deviation).h / h for block in (0, 1)]
    np.testing.assert_allclose(turns[0], turns[0][:, :1].repeat(8, axis=1))
    assert np.abs(turns[0] - turns[1]).max() > 0.01


@pytest.mark.parametrize("subcarriers", [4, 5])
def test_timing_errors_turn_subcarriers_more_and_more(subcarriers):
    """A ramp of phases about the band's centre, e^(-j2πkW·τ), with τ uniform up to the largest in both directions."""
    h, most, places = gains(20_000, subcarriers), 2e-6, np.arange(subcarriers) - (subcarriers - 1) / 2
    turn = np.angle(sounded(h, timing_error_s=most).h / h)
    delays = (turn[:, 0] - turn[:, 1]) / (2 * np.pi * 15e3)
    np.testing.assert_allclose(turn, -2 * np.pi * 15e3 * np.outer(delays, places), atol=1e-9)
    assert np.abs(delays).max() == pytest.approx(most, rel=1e-3)
    assert np.var(delays) == pytest.approx(most**2 / 3, rel=0.03)


@pytest.mark.parametrize("periods", [1, 3, 5, 15])
@pytest.mark.parametrize("delay", [-738, -238, 30, 85, 238, 935])
def test_a_delay_beyond_the_cyclic_prefix_mixes_symbols_and_subcarriers(delay, periods):
    """Waveforms: 3 symbols of so many periods of the spacing, each on 1,000 subcarriers and behind a cyclic prefix, of
    which the server's window begins half into the second's."""
    subcarriers, length, trials = 1000, 1000 * periods, 12
    prefix = round(CYCLIC_PREFIX * subcarriers)
    sent = complex_normal(np.random.default_rng(1), (trials, 3, subcarriers))
    spectrum = np.zeros((trials, 3, length), complex)
    spectrum[..., ::periods] = sent
    symbols = np.fft.ifft(spectrum, axis=-1, norm="ortho")
    waveform = np.concatenate([symbols[..., -prefix:], symbols], axis=-1).reshape(trials, -1)
    begin = length + prefix + prefix // 2 - delay
    heard = np.fft.fft(waveform[:, begin : begin + length], axis=-1, norm="ortho")[:, ::periods]
    own = sent[:, 1] * np.exp(-2j * np.pi * np.arange(subcarriers) * (delay + prefix // 2) / subcarriers)
    share, interference = overlap(max(abs(delay) / subcarriers - CYCLIC_PREFIX / 2, 0.0), periods, subcarriers)
    shares = np.sum(own.conj() * heard, axis=1) / np.sum(np.abs(own) ** 2, axis=1)
    assert within(shares.real, share)
    assert within(shares.imag, 0.0)
    assert within(np.mean(np.abs(heard - share * own) ** 2, axis=1), interference)


def within(found: np.ndarray, expected: float) -> bool:
    return abs(found.mean() - expected) <= 3 * found.std(ddof=1) / np.sqrt(len(found)) + 1e-12


def test_windows_of_a_grid_leave_prefixes_out():
    """At 0.203/W beyond the prefix, one symbol in a slot of 15/W hardly suffers; 14 have windows of about 1/W each."""
    few, many = Grid(1), Grid(1, symbols_per_slot=14)
    assert many.window_s == pytest.approx(1 / 15e3, rel=2e-3)
    assert few.symbol_s - few.window_s == pytest.approx(CYCLIC_PREFIX / 15e3)
    wide = 100_000
    assert overlap(0.203, 15.0, wide) == pytest.approx((0.98647, 0.00162), abs=1e-5)
    assert overlap(0.203, 1.0, wide) == pytest.approx((0.797, 0.203 * 1.797), rel=1e-3)


@pytest.mark.parametrize("symbol_s", [1e-3, 1e-3 / 3, 1 / 15e3])
def test_who_is_off_by_more_than_the_prefix_covers_interferes(symbol_s):
    """Each worker's own symbol and its interference are those of its delay, as the ramp of phases tells it."""
    made = Sounding(Imperfections(timing_error_s=3e-5, symbol_s=symbol_s), np.random.SeedSequence(3))
    found = made.sound(h := np.ones((500, 1, 2), complex), 0)
    delay = np.abs(np.angle(found.h[:, 0, 1] / found.h[:, 0, 0])) / (2 * np.pi)
    beyond = np.maximum(delay - CYCLIC_PREFIX / 2, 0.0)[:, None]
    share, interference = overlap(beyond, 15e3 * symbol_s, 2)
    assert 0 < np.mean(beyond > 0) < 1
    np.testing.assert_allclose(np.abs(found.h[:, 0]), share.repeat(2, axis=1))
    np.testing.assert_allclose(share**2 * found.interference_ratio, interference, atol=1e-12)
    early = Imperfections(timing_error_s=2e-6, symbol_s=symbol_s)
    assert Sounding(early, np.random.SeedSequence(3)).sound(h, 0).interference_ratio is None


def test_truncated_inversion_of_an_estimate():
    """Of those who speak, |ĥ|² ≥ g, contributions arrive with a mean of 1 and a variance of (σ²/2)·e^u·E1(u)/(1 - σ²),
    u = g/(1 - σ²), where σ² is the variance of the error."""
    h, threshold = gains(1000, 400), 0.5
    channel = sounded(h, pilots=4, pilot_snr=2.0)
    effective = reduce(channel, TruncatedInversion(threshold), AsReceived())
    speaks, variance = effective.power > 0, Imperfections(4, 2.0).error_variance(1.0)
    np.testing.assert_array_equal(speaks, np.abs(channel.worker) >= threshold)
    u = threshold**2 / (1 - variance)
    theirs = variance / 2 * np.exp(u) * exp1(u) / (1 - variance)
    arrival = effective.arrival[speaks]
    assert arrival.mean() == pytest.approx(1, abs=5 * np.sqrt(theirs / arrival.size))
    squares = (arrival - 1) ** 2
    assert squares.mean() == pytest.approx(theirs, abs=5 * squares.std() / np.sqrt(squares.size))


def test_imperfections_that_vanish_leave_a_perfect_channel():
    h = gains(6, 8)
    for small in ({"pilots": 10**9}, {"phase_error_rad": 1e-9}, {"timing_error_s": 1e-15}):
        for part in sounded(h, **small)[:3]:
            np.testing.assert_allclose(part, h, atol=1e-4)
    assert known(h).perfect
    assert sounded(h).perfect
    assert all(part is h for part in known(h)[:3])


def test_beliefs_are_those_of_seed_and_block_and_of_wider_bands():
    h = gains(3, 9)
    wide, narrow = (sounded(part, pilots=2).worker for part in (h, h[:, :4]))
    np.testing.assert_array_equal(wide[:, :4], narrow)
    assert not np.isin(wide, sounded(h, seed=1, pilots=2).worker).any()
    assert not np.isin(wide, sounded(h, block=1, pilots=2).worker).any()


def test_weak_workers_are_estimated_as_such():
    """Who knows the mean square β of a gain errs by β/(1 + E·β): less than β, however weak the worker."""
    power = np.array([1.0, 0.01, 1e-4])
    h = np.sqrt(power)[:, None] * gains(3, 40_000)
    channel = Sounding(Imperfections(pilots=5, pilot_snr=4.0), np.random.SeedSequence(0)).sound(h, 0, power)
    found = np.mean(np.abs(h - channel.worker) ** 2, axis=1)
    np.testing.assert_allclose(found, power / (1 + 20 * power), rtol=5 / np.sqrt(40_000))
    np.testing.assert_allclose(Imperfections(pilots=5, pilot_snr=4.0).error_variance(power), power / (1 + 20 * power))
    assert not Imperfections().error_variance(power).any()
    np.testing.assert_allclose(Imperfections(5, 4.0, estimator="least_squares").error_variance(power), 0.05)
