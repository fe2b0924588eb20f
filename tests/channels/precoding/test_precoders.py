"""Precoders: what arrives, at what power, below which gain truncated inversion is silent, and those of the user."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.channels import power_control, precoding
from otafl.channels.gain import power_gain
from otafl.channels.precoding import ChannelInversion, MeanInversion, PhaseCompensation, TruncatedInversion, Unprecoded
from otafl.errors import OtaflError
from tests.channels.draws import GAINS, gains
from tests.registries import forgotten

PRECODERS = st.just(ChannelInversion()) | st.floats(0, 3).map(TruncatedInversion)


@settings(max_examples=40)
@given(GAINS, PRECODERS)
def test_whoever_transmits_is_heard_and_nobody_else(h, precoder):
    gain = power_gain(h)
    np.testing.assert_array_equal(precoder.power(gain) > 0, precoder.arrival(gain) == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_truncation_inverts_at_the_threshold_and_is_silent_below(dtype):
    gain = power_gain(np.array([[0.5, 0.5j, 0.499 + 0j, -3.0]]), dtype)
    np.testing.assert_array_equal(TruncatedInversion(0.5).active(gain), [[True, True, False, True]])
    for threshold in (-1.0, np.nan):
        with pytest.raises(ValueError, match="threshold = "):
            TruncatedInversion(threshold)


@pytest.mark.parametrize("threshold", [0.0, 1e-6, 1e-30, 1e30])
def test_zero_gain_is_silent_at_any_threshold_and_takes_infinite_power_to_invert_without_a_warning(threshold):
    h, precoder, inversion = np.array([[0j], [2j]]), TruncatedInversion(threshold), ChannelInversion()
    with np.errstate(all="raise"):
        assert precoder.power(power_gain(h))[0] == 0
        assert precoder.arrival(power_gain(h))[0] == 0
        assert precoder.coefficients(h)[0] == 0
        assert inversion.power(power_gain(h))[0] == np.inf
        assert np.abs(inversion.coefficients(h))[0] == np.inf
    if threshold == 0:
        np.testing.assert_array_equal(precoder.coefficients(h)[1], inversion.coefficients(h)[1])


def test_inversion_of_mean_gains_leaves_phases_and_fading():
    """|p|² = 1/β by both routes; the mean energy that arrives is 1; with mean gains of 1 nothing is precoded."""
    mean, h = np.array([[0.1], [1.0], [4.0]]), gains(3, 4000)
    made = MeanInversion().calibrated(mean)
    sent = made.coefficients(np.sqrt(mean) * h)
    np.testing.assert_allclose(np.abs(sent) ** 2, made.power(mean * power_gain(h)), rtol=1e-12)
    np.testing.assert_allclose(np.sqrt(mean) * h * sent, h, rtol=1e-12)
    np.testing.assert_allclose(made.mean_power(mean), 1 / mean)
    np.testing.assert_array_equal(MeanInversion().coefficients(h), Unprecoded().coefficients(h))


@dataclass(frozen=True)
class Compensated(precoding.Precoder):
    """Phases compensated, with a factor on each of three functions."""

    turn: float = 0.0
    louder: float = 1.0
    nearer: float = 1.0

    def coefficients(self, h):
        return np.exp(-1j * (np.angle(h) + self.turn))

    def power(self, gain):
        return self.louder * np.ones_like(gain)

    def arrival(self, gain):
        return self.nearer * np.sqrt(gain)


class Aligned(Unprecoded):
    """Sends as it is, and says that contributions arrive with |h|."""

    def arrival(self, gain):
        return np.sqrt(gain)


class Averaged(Compensated):
    def power(self, gain):
        return np.ones_like(gain).mean(axis=-1)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        *((made(), "") for made in precoding.PRECODERS.values()),
        (Compensated(), ""),
        (Compensated(turn=0.1), "its arrival contradicts"),
        (Compensated(louder=1.1), "its power contradicts"),
        (Compensated(nearer=0.9), "its arrival contradicts"),
        (Averaged(), "its power contradicts"),
        (Aligned(), "its arrival contradicts"),
        (precoding.Precoder(), "must have the functions"),
        (Compensated(louder="x"), "fails on drawn gains"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_closed_forms_are_held_against_the_complex_factor(made, said):
    """Also where a power control puts it in the place of another one."""
    for found in (made.contradiction(), PhaseCompensation().contradiction(lambda chosen: made)):
        assert found.startswith(said) if said else not found


def test_a_run_refuses_a_precoder_that_contradicts_itself():
    with forgotten():
        precoding.register("turned")(Compensated)
        keys = {"method": "FedAvg@analog", "uplink.precoder": "turned"}
        otafl.load("digits_quickstart", keys)
        with pytest.raises(OtaflError, match=r"uplink\.precoder = 'turned': its arrival contradicts"):
            otafl.load("digits_quickstart", keys | {"uplink.turn": 0.1})
        power_control.register("turning")(Turning)
        with pytest.raises(OtaflError, match=r"uplink\.power_control = 'turning': its arrival contradicts"):
            otafl.load("digits_quickstart", {"method": "FedAvg@analog", "uplink.power_control": "turning"})
        precoding.register("plain")(Plain)
        with pytest.raises(OtaflError, match=r"uplink\.precoder = 'plain': has no arrival.*set channel\.pilots"):
            otafl.load("digits_quickstart", keys | {"uplink.precoder": "plain"})
        otafl.load("digits_quickstart", keys | {"uplink.precoder": "plain", "channel.pilots": 1})


@dataclass(frozen=True)
class Turning(power_control.PowerControl):
    def controlled(self, precoder, snr):
        return Compensated(turn=0.1)


@dataclass(frozen=True)
class Plain(precoding.Precoder):
    """Phases left as they are."""

    coefficients, power = Unprecoded.coefficients, Unprecoded.power
