"""The channel in real arrays against the complex one: superposition, arrivals, power and noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.channels.csi import ChannelState, known
from otafl.channels.effective_channel import reduce
from otafl.channels.multiple_access import aggregate, superpose
from otafl.channels.noise import complex_normal
from otafl.channels.power import common_scaling, transmitted_energy_j
from otafl.channels.precoding import ChannelInversion, TruncatedInversion
from otafl.channels.receive_scaling import AsReceived, ReceiveScaling, SpeakerCount
from tests.channels.draws import GAINS, gains


def mistaken(deviation):
    """Workers and server each off by an error of their own."""

    def sound(h):
        errors = [deviation * complex_normal(np.random.default_rng(seed), h.shape) for seed in (1, 2)]
        return ChannelState(h, *(h + error for error in errors))

    return sound


class Turned(ReceiveScaling):
    """A receive scaling with complex weights that depend on what the receiver believes."""

    def weights(self, h, spoke, arrival):
        return h.sum(axis=-2) * (spoke > 0)


def received(effective, contribution, noise):
    """Σ_n arrival_n·c_n and the receiver's noise, as one who computes with real arrays forms them."""
    arrival = 1.0 if effective.arrival is None else effective.arrival
    gain = 1.0 if effective.noise_gain is None else effective.noise_gain[0]
    return np.sum(arrival * contribution, axis=0) + gain * noise


@pytest.mark.parametrize("sound", [known, mistaken(0.0), mistaken(0.3)])
@pytest.mark.parametrize("precoder", [ChannelInversion(), TruncatedInversion(0.8)])
@pytest.mark.parametrize("weighing", [AsReceived(), SpeakerCount()])
def test_real_reduction_is_the_real_part_of_the_complex_path(precoder, weighing, sound):
    """Under a power budget and with noise: what the receiver has, and the energy that each worker spends."""
    rng, budget, slot = np.random.default_rng(7), 2.0, 1e-3
    h, contribution = gains(6, 40), rng.standard_normal((6, 40))
    noise = complex_normal(rng, (40,), 0.1)
    channel = sound(h)
    coefficients = precoder.coefficients(channel.worker)
    signals = coefficients * contribution
    weights = weighing.weights(channel.server, np.count_nonzero(coefficients, axis=0), precoder.arrival)
    expected = np.conj(weights) * aggregate(signals, h, noise, budget)

    effective = reduce(channel, precoder, weighing)
    power = np.sum(effective.power * contribution**2, axis=1)
    scaling = np.sqrt(budget / power.max())
    np.testing.assert_allclose(received(effective, contribution, noise.real / scaling), expected.real, rtol=1e-10)
    assert scaling == pytest.approx(common_scaling(signals, budget), rel=1e-12)
    np.testing.assert_allclose(
        scaling**2 * power * slot, transmitted_energy_j(signals, scaling, slot), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("precoder", [ChannelInversion(), TruncatedInversion(0.8)])
def test_complex_weights_act_as_their_conjugate(precoder):
    """Re{w^H·y} sample by sample for what is sent; for noise in its deviation, |w| times that of Re{z}."""
    channel = mistaken(0.3)(h := gains(5, 20))
    contribution = np.random.default_rng(3).standard_normal(h.shape)
    coefficients = precoder.coefficients(channel.worker)
    weights = Turned().weights(channel.server, np.count_nonzero(coefficients, axis=0), precoder.arrival)
    effective = reduce(channel, precoder, Turned())
    expected = (np.conj(weights) * superpose(coefficients * contribution, h)).real
    np.testing.assert_allclose(received(effective, contribution, 0.0), expected, rtol=1e-10, atol=1e-12)
    noise = complex_normal(np.random.default_rng(4), (50_000, 20))
    deviation = np.std((np.conj(weights) * noise).real, axis=0)
    np.testing.assert_allclose(effective.noise_gain[0] * np.sqrt(1 / 2), deviation, rtol=5 / np.sqrt(2 * 50_000))


@given(GAINS, st.floats(0, 3))
def test_truncation_with_speaker_count(h, threshold):
    """Workers above the threshold arrive N over their number strong, and spend power alone."""
    effective = reduce(known(h), TruncatedInversion(threshold), SpeakerCount())
    num_workers = h.shape[-2]
    speaks = effective.power > 0
    spoke = speaks.sum(axis=-2, keepdims=True)
    scale = np.where(spoke > 0, num_workers / np.maximum(spoke, 1), 0)
    np.testing.assert_array_equal(effective.noise_gain, scale)
    np.testing.assert_array_equal(effective.arrival, speaks * scale)
    np.testing.assert_array_equal(effective.arrival[np.broadcast_to(spoke == num_workers, h.shape)], 1.0)

    np.testing.assert_allclose((effective.power * effective.gain)[speaks], 1.0, rtol=1e-15)
    assert not effective.power[~speaks].any()
    assert all(np.isfinite(array).all() for array in effective[:5])
    together = reduce(known(np.stack([2j * h, h])), TruncatedInversion(threshold), SpeakerCount())
    for both, alone in zip(together[:5], effective[:5], strict=True):
        np.testing.assert_array_equal(both[1], alone)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_are_those_of_arithmetic_on_the_cast_gain(dtype):
    """Squares in the precision of h, cast; then the inverse, and the test of silence, in the precision asked for."""
    h, threshold = gains(9, 500), 0.7
    gain = (h.real**2 + h.imag**2).astype(dtype)
    inverse = dtype(1) / gain
    active = inverse * dtype(threshold) ** 2 <= 1
    scale = (dtype(9) / active.sum(axis=0).astype(dtype))[None]
    whole = reduce(known(h), ChannelInversion(), AsReceived(), dtype=dtype)
    truncated = reduce(known(h), TruncatedInversion(threshold), SpeakerCount(), dtype=dtype)
    for ours, expected in zip(whole[:3:2], (gain, inverse), strict=True):
        np.testing.assert_array_equal(ours, expected)
    for ours, expected in zip(truncated[:5], (gain, active * scale, active * inverse, scale, gain), strict=True):
        np.testing.assert_array_equal(ours, expected)
        assert ours.dtype == dtype


@pytest.mark.parametrize("error", [0.0, 0.3])
def test_nothing_arrives_of_whom_rounding_to_single_precision_silences(error):
    """A belief just above a threshold that single precision rounds up: inverted as it is, silent where it is cast."""
    precoder, believed = TruncatedInversion(0.2), np.full((2, 1), 0.2 * (1 + 1e-12), complex)
    assert precoder.coefficients(believed).all()
    channel = ChannelState(believed + error, believed, believed) if error else known(believed)
    effective = reduce(channel, precoder, AsReceived(), np.float32)
    assert not effective.power.any()
    assert not effective.arrival.any()


def test_gain_is_that_of_the_belief_and_reach_that_of_the_channel():
    """The gain is |ĥ|² of the worker's estimate ĥ, the reach |h|² of its actual gain h."""
    channel = mistaken(0.2)(h := gains(4, 30))
    effective = reduce(channel, ChannelInversion(), AsReceived())
    np.testing.assert_allclose(effective.gain, np.abs(channel.worker) ** 2, rtol=1e-12)
    np.testing.assert_allclose(effective.reach, np.abs(h) ** 2, rtol=1e-12)
    assert effective.noise_gain is None


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
