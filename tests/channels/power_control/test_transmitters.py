"""Precoders under each power control: what all have in common, and each against its theory."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, optimize

from otafl.channels.csi import known
from otafl.channels.effective_channel import reduce
from otafl.channels.gain import power_gain
from otafl.channels.power_control import (
    POWER_CONTROLS,
    AveragePower,
    CommonPower,
    MmsePower,
    PowerControl,
    ScheduledPower,
)
from otafl.channels.power_control.mmse import denoising
from otafl.channels.precoding import PRECODERS, ChannelInversion, PhaseCompensation, Precoder, TruncatedInversion
from otafl.channels.receive_scaling import AsReceived

GAINS = hnp.arrays(
    np.complex128,
    hnp.array_shapes(min_dims=2, max_dims=3, max_side=6),
    elements=st.complex_numbers(min_magnitude=1e-3, max_magnitude=1e3),
)


class Transmitter(NamedTuple):
    """Precoder under a power control, at an SNR."""

    chosen: Precoder
    control: PowerControl
    snr: float = np.inf

    @property
    def precoder(self):
        return self.control.controlled(self.chosen, self.snr)

    @property
    def receive_scaling(self):
        """Weights of a receiver that estimates the sum from those who are heard."""
        return self.control.receive_scaling(self.snr) or self.chosen.receive_scaling

    def budgeted_power(self, mean):
        return self.control.budgeted_power(self.chosen, mean)

    def reduced(self, h, scaling=None, dtype=np.float64):
        return reduce(known(h), self.precoder, scaling or self.receive_scaling, dtype, self.control)


MADE = {
    f"{name}, {control}": Transmitter(PRECODERS.make(name, inversion_threshold=0.5), POWER_CONTROLS[control](), 10.0)
    for name in PRECODERS
    if PRECODERS[name].by_gains
    for control in POWER_CONTROLS
    if control != "mmse" or name == "phase_compensation"
}
"""All pairs but those that minimising the error refuses, as it chooses amplitudes itself."""
EACH = pytest.mark.parametrize("made", MADE.values(), ids=MADE)


def averaged(threshold: float) -> Transmitter:
    """Truncated inversion whose budget is kept on average."""
    return Transmitter(TruncatedInversion(threshold), AveragePower())


def least_error(snr: float) -> Transmitter:
    """Phases compensated, at amplitudes of the least error."""
    return Transmitter(PhaseCompensation(), MmsePower(), snr)


@EACH
@settings(deadline=None, max_examples=30)
@given(h=GAINS)
def test_closed_forms_agree_with_the_complex_coefficients(made, h):
    gain, sent = power_gain(h), made.precoder.coefficients(h)
    np.testing.assert_allclose(np.abs(sent) ** 2, made.precoder.power(gain), rtol=1e-9)
    np.testing.assert_allclose(h * sent, made.precoder.arrival(gain), rtol=1e-9, atol=1e-12)


@EACH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_arrays_are_in_the_precision_that_is_asked_for(made, dtype, rayleigh):
    found = made.reduced(rayleigh(5, 7), dtype=dtype)
    assert {part.dtype for part in found if part is not None} == {np.dtype(dtype)}
    assert found.budgeted_power is None or found.budgeted_power.shape == (5, 1)


@EACH
def test_nobody_is_heard_over_gains_of_zero(made):
    found = made.reduced(np.zeros((3, 2), complex))
    silent = found.power == 0
    assert silent.all() or isinstance(made.chosen, ChannelInversion)
    np.testing.assert_array_equal(made.precoder.coefficients(np.zeros((3, 2), complex)) == 0, silent)
    assert found.arrival is None or not found.arrival.any()
    assert found.noise_gain is None or np.isfinite(found.noise_gain).all()


@pytest.mark.parametrize("mean", [0.1, 1.0, 4.0])
def test_mean_power_of_inversion_above_a_threshold(mean):
    """E[1/g; g ≥ ε²] of exponential gains, by E1, by quadrature and over draws; ρ0 = P/E1(ε²) makes that power P."""
    made, threshold = averaged(0.4), 0.4**2
    budgeted_power = made.budgeted_power(np.array([[mean]])).item()
    area, _ = integrate.quad(lambda gain: np.exp(-gain / mean) / mean / gain, threshold, np.inf)
    assert budgeted_power == pytest.approx(area, rel=1e-6)
    power = made.precoder.power(np.random.default_rng(1).exponential(mean, 400_000))
    assert abs(power.mean() - budgeted_power) < 4 * power.std() / np.sqrt(power.size)


def test_one_of_whom_nothing_arrives_needs_no_power():
    np.testing.assert_array_equal(averaged(0.4).budgeted_power(np.array([0.0, 1.0]))[0], 0.0)


def test_inversion_to_a_common_gain_never_takes_more_than_is_counted():
    """1/ε², which it takes at |h| = ε, whatever the mean."""
    made = Transmitter(TruncatedInversion(0.3), ScheduledPower())
    np.testing.assert_allclose(made.budgeted_power(np.array([[0.1], [5.0]])), 1 / 0.3**2)
    power = made.precoder.power(np.random.default_rng(2).exponential(1.0, 10_000))
    assert 0.9 / 0.3**2 < power.max() <= made.budgeted_power(np.ones(1))[0]


def mean_squared_error(gain: np.ndarray, snr: float) -> np.ndarray:
    """Mean squared error of the sum, over that of a symbol. Shape [..., workers, subcarriers] to [..., subcarriers]."""
    level = denoising(gain, snr)
    missing = np.minimum(np.sqrt(gain) / level[..., None, :], 1.0) - 1.0
    return np.square(missing).sum(axis=-2) + 0.5 / snr / np.square(level)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.02, 9.0), min_size=1, max_size=6), st.floats(0.01, 1e4))
def test_optimal_power_is_what_a_numerical_optimiser_finds(gains, snr):
    """Over the denoising factor, and every worker's power of at most 1."""
    gain, made = np.array(gains)[:, None], least_error(snr)
    magnitude = np.sqrt(gain[:, 0])

    def error(x):
        return np.sum((x[1:] * magnitude / x[0] - 1) ** 2) + 0.5 / snr / x[0] ** 2

    def slope(x):
        off, each = x[1:] * magnitude / x[0] - 1, magnitude / x[0]
        return np.append(-2 * off @ (x[1:] * each) / x[0] - 1 / snr / x[0] ** 3, 2 * off * each)

    start = np.append(magnitude.mean(), np.full(len(gains), 0.5))
    bounds = [(1e-3, 1e3), *[(0.0, 1.0)] * len(gains)]
    tries = [optimize.minimize(error, start * scale, jac=slope, bounds=bounds).fun for scale in (0.3, 1.0, 2.0)]
    (own,) = mean_squared_error(gain, snr)
    assert own <= min(tries) * (1 + 1e-6) + 1e-9
    level = denoising(gain, snr)
    assert own == pytest.approx(error(np.append(level, np.sqrt(made.precoder.power(gain)[:, 0]))), rel=1e-9)


def test_optimal_power_without_noise_inverts_all_channels_to_the_weakest(rayleigh):
    gain = power_gain(rayleigh(7, 3))
    np.testing.assert_allclose(least_error(np.inf).precoder.power(gain), gain.min(axis=0) / gain)
    np.testing.assert_allclose(mean_squared_error(gain, np.inf), 0.0, atol=1e-12)


def test_optimal_power_in_noise_alone_lets_all_speak_at_full_power(rayleigh):
    gain = power_gain(rayleigh(7, 3))
    assert (least_error(1e-6).precoder.power(gain) == 1).all()
    np.testing.assert_allclose(mean_squared_error(gain, 1e-9), 7, rtol=1e-3)


def test_optimal_power_is_better_than_inversion_and_than_full_power(rayleigh):
    """Each at its own best factor, on every subcarrier."""
    gain, snr = power_gain(rayleigh(10, 200)), 5.0
    own = mean_squared_error(gain, snr)
    inverted = 0.5 / snr / gain.min(axis=0)
    sums, powers = np.sqrt(gain).sum(axis=0), gain.sum(axis=0) + 0.5 / snr
    full = 10 - sums**2 / powers
    assert (own <= inverted + 1e-12).all()
    assert (own <= full + 1e-12).all()


def test_phases_alone_bring_equal_channels_exactly_and_others_by_weight():
    turned = np.exp(1j * np.arange(4.0))[:, None]
    equal = reduce(known(3 * turned), PhaseCompensation(), PhaseCompensation().receive_scaling)
    np.testing.assert_allclose(equal.arrival, 1.0)
    other = reduce(
        known(np.array([[1.0], [3.0], [0.0]]) * turned[:3]), PhaseCompensation(), PhaseCompensation().receive_scaling
    )
    np.testing.assert_allclose(other.arrival[:, 0], [3 / 4, 9 / 4, 0.0])
    np.testing.assert_allclose(other.noise_gain, 3 / 4)


@pytest.mark.parametrize("snr", [0.3, 2.0])
def test_majority_of_two_that_agree_is_wrong_as_often_as_theory_says(snr):
    """P_e = p²Q(2√(2γ)) + 2p(1 - p)Q(√(2γ)) + (1 - p)²/2, p = e^(-g): a worker in a deep fade is silent."""
    from scipy.stats import norm

    rng, made, count = np.random.default_rng(3), averaged(0.7), 400_000
    h = (rng.standard_normal((2, count, 2)) @ [1, 1j]) / np.sqrt(2)
    found = made.reduced(h, AsReceived())
    assert found.noise_gain is None
    heard = found.arrival.sum(axis=0) + np.sqrt(0.5 / snr) * rng.standard_normal(count)
    p, q = np.exp(-(0.7**2)), norm.sf
    expected = p**2 * q(2 * np.sqrt(2 * snr)) + 2 * p * (1 - p) * q(np.sqrt(2 * snr)) + (1 - p) ** 2 / 2
    assert abs(np.mean(heard < 0) - expected) < 4 * np.sqrt(expected / count)


@pytest.mark.parametrize("control", [CommonPower(), AveragePower(), ScheduledPower()])
def test_controls_of_a_common_factor_leave_the_precoder_as_it_is(rayleigh, control):
    gain, chosen = power_gain(rayleigh(4, 9)), TruncatedInversion(0.6)
    np.testing.assert_array_equal(Transmitter(chosen, control).precoder.power(gain), chosen.power(gain))


@pytest.mark.parametrize("snr", [0.0, -1.0, np.nan])
def test_impossible_snrs_are_refused(snr):
    with pytest.raises(ValueError, match="snr = "):
        least_error(snr).precoder.power(np.ones((1, 1)))
