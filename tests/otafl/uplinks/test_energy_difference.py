"""Sums as differences of energies (REED): moments against theory, complex twin, power, costs, mean gains, refusals."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.channels.csi import known
from otafl.channels.effective_channel import Effective, reduce
from otafl.channels.precoding import MeanInversion
from otafl.channels.receive_scaling import AsReceived
from otafl.compressors import SignedEnergy
from otafl.receivers import EnergyDifference
from otafl.uplinks.analog_link import AnalogLink, Radio
from tests.channels.draws import gains
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

ELEMENTS, BUDGET = 30_000, 2.0
VALUES = np.array([0.5, 1.2, -0.7, 0.0, -0.1])
"""An element of each worker, one of whom is absent."""


def measuring(h: np.ndarray, std: float = 0.0, chips: int = 1, mean: float | np.ndarray = 1.0) -> AnalogLink:
    """A link of workers with gains h, [workers, symbols], and real noise of some standard deviation."""
    symbols = h.shape[1]
    radio = in_tensors(Radio(BUDGET * symbols, std, 1e-3, symbols=symbols))
    state = known(h)._replace(mean=mean)
    reduced = reduce(state, MeanInversion(), AsReceived(), both_parts=True)
    channel = Effective(*reduced.each(lambda part: part[..., None]))
    noise = np.random.default_rng(1).standard_normal((1, 2 * symbols + SignedEnergy.words, 1))
    samples, words = (tf.constant(part) for part in np.split(noise, [2 * symbols], axis=1))
    parts = {"compressor": SignedEnergy(chips), "precoder": MeanInversion(), "receiver": EnergyDifference()}
    return linked(draw_of(channel, samples, words=words), radio, **parts)


def alike(values: np.ndarray = VALUES, elements: int = ELEMENTS) -> tf.Tensor:
    """Vectors of workers whose elements are all alike. Shape [workers, d, 1]."""
    return tf.constant(np.broadcast_to(values[:, None, None], (len(values), elements, 1)).copy())


def received(made: AnalogLink, message: tf.Tensor) -> np.ndarray:
    return made.received(made.sent(message)).total.numpy()[0, :, 0]


def sides(values: np.ndarray) -> np.ndarray:
    return np.array([np.maximum(values, 0).sum(), np.maximum(-values, 0).sum()])


def agrees(found: np.ndarray, mean: float, variance: float) -> None:
    """Assert mean and variance of independent samples within 3 standard errors."""
    centred, root = found - mean, np.sqrt(len(found))
    assert abs(centred.mean()) <= 3 * np.sqrt(variance) / root
    assert abs(np.mean(centred**2) - variance) <= 3 * np.std(centred**2) / root


@pytest.mark.parametrize("chips", [1, 3])
@pytest.mark.parametrize("std", [0.0, 1.0, 5.0])
def test_mean_and_variance_over_rayleigh_fading(std, chips):
    """Energies of m chips are sums of m exponential ones, each of mean S/m + ν, ν the energy of noise over α²."""
    made = measuring(gains(5, 2 * chips * ELEMENTS, seed=2), std, chips)
    noise = 2 * std**2 * np.abs(VALUES).max() / (2 * chips * BUDGET)
    agrees(received(made, alike()), VALUES.sum(), np.sum((sides(VALUES) + chips * noise) ** 2) / chips)


def test_mean_and_variance_without_fading_are_those_of_random_signs():
    """Σ_{n≠m} s_n s_m √(x_n x_m) on each side, of variance 2·((Σ_n x_n)² − Σ_n x_n²)."""
    cross = 2 * (np.sum(sides(VALUES) ** 2) - np.sum(VALUES**2))
    agrees(received(measuring(np.ones((5, 2 * ELEMENTS), complex)), alike()), VALUES.sum(), cross)


@pytest.mark.parametrize("chips", [1, 4])
def test_one_worker_without_noise_and_fading_is_heard_exactly(chips):
    message = np.random.default_rng(0).standard_normal((1, 50, 1))
    made = measuring(np.ones((1, 100 * chips), complex), chips=chips)
    np.testing.assert_allclose(received(made, tf.constant(message)), message[0, :, 0], rtol=1e-12)


def test_the_complex_sum_has_the_same_energies():
    """The samples Σ_n h_n·a_n, formed with complex numbers, and the difference of energies over their pairs."""
    message, h = np.random.default_rng(0).standard_normal((4, 60, 1)), gains(4, 3 * 120, seed=2)
    made = measuring(h, chips=3)
    samples = np.sum(h * made.packed(tf.constant(message)).sent.numpy()[..., 0], axis=0)
    energy = np.sum(np.abs(samples.reshape(60, 3, 2)) ** 2, axis=1)
    np.testing.assert_allclose(received(made, tf.constant(message)), energy[:, 0] - energy[:, 1], rtol=1e-10)


def test_signs_are_fair_and_independent_of_workers():
    made = measuring(gains(5, 2 * ELEMENTS, seed=2))
    sent = np.sign(made.packed(alike()).sent.numpy()[[0, 1], ::2, 0])
    assert np.all(np.abs(sent.mean(axis=1)) <= 3 / np.sqrt(ELEMENTS))
    assert abs(np.mean(sent[0] * sent[1])) <= 3 / np.sqrt(ELEMENTS)


@pytest.mark.parametrize("chips", [1, 2])
def test_the_longest_vector_in_absolute_values_uses_the_budget_in_full(chips):
    message = np.random.default_rng(0).standard_normal((5, 500, 1))
    made = measuring(gains(5, 1000 * chips, seed=2), chips=chips)
    upload = made.received(made.sent(tf.constant(message)))
    length = np.abs(message).sum(axis=(1, 2))
    assert upload.power.numpy()[0] == pytest.approx(BUDGET, rel=1e-9)
    spent = BUDGET * 1000 * chips * 1e-3 * length.sum() / length.max()
    assert upload.energy.numpy()[0] == pytest.approx(spent, rel=1e-9)


def test_workers_of_all_mean_gains_count_alike_after_calibration():
    mean = np.array([0.1, 4.0, 1.0, 0.5, 2.0])[:, None]
    made = measuring(np.sqrt(mean) * gains(5, 2 * ELEMENTS, seed=2), mean=mean)
    agrees(received(made, alike()), VALUES.sum(), np.sum(sides(VALUES) ** 2))
    strongest = np.abs(VALUES) @ (1 / mean) / np.max(np.abs(VALUES)[:, None] / mean)
    upload = made.received(made.sent(alike()))
    assert upload.power.numpy()[0] == pytest.approx(BUDGET, rel=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(BUDGET * 2 * ELEMENTS * 1e-3 * strongest.item(), rel=1e-9)
