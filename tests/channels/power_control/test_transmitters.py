"""Precoders under each power control: what all have in common, and each against its theory."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize

from otafl.channels.csi import known
from otafl.channels.effective_channel import reduce
from otafl.channels.gain import power_gain
from otafl.channels.power_control import POWER_CONTROLS, AveragePower, MmsePower, PowerControl, ScheduledPower
from otafl.channels.power_control.mmse import denoising
from otafl.channels.precoding import PRECODERS, ChannelInversion, PhaseCompensation, Precoder, TruncatedInversion
from tests.channels.draws import NONZERO, gains


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


def least_error(snr: float) -> Transmitter:
    return Transmitter(PhaseCompensation(), MmsePower(), snr)


@EACH
@settings(max_examples=30)
@given(h=NONZERO)
def test_closed_forms_agree_with_the_complex_coefficients(made, h):
    gain, sent = power_gain(h), made.precoder.coefficients(h)
    np.testing.assert_allclose(np.abs(sent) ** 2, made.precoder.power(gain), rtol=1e-9)
    if not isinstance(made.control, MmsePower):
        np.testing.assert_array_equal(made.precoder.power(gain), made.chosen.power(gain))
    np.testing.assert_allclose(h * sent, made.precoder.arrival(gain), rtol=1e-9, atol=1e-12)


@EACH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_arrays_are_in_the_precision_that_is_asked_for(made, dtype):
    found = made.reduced(gains(5, 7), dtype=dtype)
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
    made, threshold = Transmitter(TruncatedInversion(0.4), AveragePower()), 0.4**2
    budgeted_power = made.budgeted_power(np.array([[mean]])).item()
    area, _ = integrate.quad(lambda gain: np.exp(-gain / mean) / mean / gain, threshold, np.inf)
    assert budgeted_power == pytest.approx(area, rel=1e-6)
    power = made.precoder.power(np.random.default_rng(1).exponential(mean, 400_000))
    assert abs(power.mean() - budgeted_power) < 4 * power.std() / np.sqrt(power.size)
    assert not made.budgeted_power(np.zeros(1)).any()


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


@settings(max_examples=40)
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


def test_optimal_power_inverts_channels_to_the_weakest_without_noise_and_is_full_in_noise_alone():
    gain = power_gain(gains(7, 3))
    np.testing.assert_allclose(least_error(np.inf).precoder.power(gain), gain.min(axis=0) / gain)
    np.testing.assert_allclose(mean_squared_error(gain, np.inf), 0.0, atol=1e-12)
    assert (least_error(1e-6).precoder.power(gain) == 1).all()
    np.testing.assert_allclose(mean_squared_error(gain, 1e-9), 7, rtol=1e-3)
    for snr in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="snr = "):
            least_error(snr).precoder.power(gain)


class Softened(PhaseCompensation):
    """Amplitudes |h|^½, so that contributions arrive with |h|^1.5."""

    def coefficients(self, h):
        return np.sqrt(np.abs(h)) * super().coefficients(h)

    def power(self, gain):
        return np.sqrt(gain)

    def arrival(self, gain):
        return gain**0.75


@pytest.mark.parametrize("precoder", [PhaseCompensation(), Softened()])
def test_a_receiver_divides_by_what_arrives(precoder):
    """Equal contributions then arrive as their sum on every subcarrier."""
    assert not precoder.contradiction()
    found = reduce(known(gains(5, 8)), precoder, precoder.receive_scaling)
    np.testing.assert_allclose(found.arrival.sum(axis=0), 5)
