"""Votes (FSK-MV) and sums (REED) by energies: errors and moments against theory, phases, power, waveforms."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from otafl.channels.clipping import Clipping
from otafl.channels.csi import ChannelState, known
from otafl.channels.effective_channel import Effective, reduce
from otafl.channels.precoding import MeanInversion, Unprecoded
from otafl.channels.receive_scaling import AsReceived
from otafl.compressors import Fsk, SignedEnergy
from otafl.engine.draws import Draws
from otafl.receivers import Energy, EnergyDifference
from otafl.uplinks.analog_link import AnalogLink, Radio, amplification
from tests.channels.draws import gains
from tests.otafl.small import group_of
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

ELEMENTS, BUDGET, STD = 40_000, 2.0, 0.3
SMALL = {"federation.workers": 6, "run.iterations": 2, "run.seeds": 1, "method": "FedSGD@analog"}


def listening(state: ChannelState, std: float, seed: int, words: int = 0, **parts: Any) -> AnalogLink:
    """A link over a block of channels, whose symbols have the mean power BUDGET, with noise of a standard deviation."""
    symbols = state.h.shape[1]
    radio = in_tensors(Radio(BUDGET * symbols, std, 1e-3, symbols=symbols))
    reduced = reduce(state, parts["precoder"], AsReceived(), both_parts=True)
    channel = Effective(*reduced.each(lambda part: part[..., None]))
    drawn = np.random.default_rng(seed).standard_normal((1, 2 * symbols + words, 1))
    noise, of_compressor = (tf.constant(part) for part in np.split(drawn, [2 * symbols], axis=1))
    return linked(draw_of(channel, noise, words=of_compressor), radio, **parts)


def voting(h: np.ndarray, std: float = STD, threshold: float = 0.0) -> AnalogLink:
    """A link of voting workers with gains h, [workers, symbols]."""
    compressor = Fsk(tf.constant([threshold], tf.float64))
    return listening(known(h), std, 0, compressor=compressor, precoder=Unprecoded(), receiver=Energy())


def votes(positive: int, negative: int, absent: int = 0) -> tf.Tensor:
    each = np.repeat([1.0, -1.0, 0.0], [positive, negative, absent])
    return tf.constant(np.broadcast_to(each[:, None, None], (len(each), ELEMENTS, 1)).copy())


@pytest.mark.parametrize(("positive", "negative", "absent"), [(5, 2, 0), (3, 2, 5), (6, 0, 1)])
@pytest.mark.parametrize("std", [0.0, 1.0, 5.0])
def test_the_error_of_a_vote_is_that_of_theory(positive, negative, absent, std):
    """Energies are exponential with means 2P·N + N0: P(wrong) is that of the minority over the sum of both."""
    h = gains(positive + negative + absent, 2 * ELEMENTS, seed=1)
    made = voting(h, std=std)
    upload = made.received(made.sent(votes(positive, negative, absent)))
    wrong = np.mean(upload.total[0] != 1)
    means = [2 * BUDGET * number + 2 * std**2 for number in (positive, negative)]
    theory = means[1] / sum(means)
    assert abs(wrong - theory) <= 3 * np.sqrt(theory * (1 - theory) / ELEMENTS)


def test_phases_do_not_count():
    """One voter: energies are the same. Several: so is the rate of errors, within 3 standard errors of a difference."""
    turned = np.exp(2j * np.pi * np.random.default_rng(3).random((7, 2 * ELEMENTS)))
    h, message = gains(7, 2 * ELEMENTS, seed=1), votes(4, 3)
    wrong = [np.mean(voting(part).received(voting(part).sent(message)).total[0] != 1) for part in (h, h * turned)]
    assert abs(wrong[0] - wrong[1]) <= 3 * np.sqrt(2 * wrong[0] * (1 - wrong[0]) / ELEMENTS)
    alone = [voting(part, std=0.0).sent(votes(1, 0)).arrived.numpy() for part in (h[:1], h[:1] * turned[:1])]
    energies = [np.square(one).reshape(2, -1).sum(axis=0) for one in alone]
    np.testing.assert_allclose(*energies, rtol=1e-9)


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_a_worker_sends_twice_its_budget_on_the_symbol_of_its_vote_and_nothing_where_it_abstains(threshold):
    """A worker sends with its budget on average over both symbols, and abstains from elements that are 0 or small."""
    message = np.random.default_rng(0).standard_normal((4, 1000, 1))
    message[1:, ::10] = 0
    made = voting(gains(4, 2000, seed=1), threshold=threshold)
    sent = made.sent(tf.constant(message))
    speaks = (np.abs(message) >= threshold * np.sqrt(np.mean(message**2, axis=1, keepdims=True))) & (message != 0)
    sides = np.stack([speaks & (message > 0), speaks & (message < 0)], axis=2).reshape(4, 2000, 1)
    symbols = made.packed(tf.constant(message)).sent / amplification(sent.largest, made.radio)
    np.testing.assert_allclose(np.square(symbols), 2 * BUDGET * sides, rtol=1e-9)
    upload, share = made.received(sent), speaks.mean(axis=(1, 2))
    assert upload.power.numpy()[0] == pytest.approx(BUDGET * share.max(), rel=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(BUDGET * share.sum() * 2000 * 1e-3, rel=1e-9)
    assert (share == 1).tolist() == [threshold == 0, False, False, False]


def test_heavy_tails_scale_both_parts_of_a_sample_alike():
    """Real and imaginary parts of a sample have one factor over those of normal noise."""
    keys = SMALL | {"uplink.scheme": "FSK-MV", "channel.noise": "alpha_stable"}
    heavy, normal = (
        Draws(group_of("digits_quickstart", given)).at_server(1)[0]
        for given in (keys, keys | {"channel.noise_alpha": 2.0})
    )
    real, imaginary = np.split((heavy / normal)[0, 0, :, 0], 2)
    np.testing.assert_allclose(real, imaginary, rtol=1e-5)
    assert real.std() > 0.5


def test_distortion_is_shared_by_both_parts_of_a_sample():
    """Its power in both parts together is that on the subcarrier, as channels turn it by phases of their own."""
    group = group_of("digits_quickstart", SMALL | {"uplink.scheme": "FSK-MV", "uplink.peak_backoff_db": 3.0})
    channel, clipping = group.channels([0]).of_block(0), Clipping(3.0)
    reach = channel.arrival**2 + channel.quadrature**2
    ratio = np.moveaxis(clipping.distortion_ratio(np.moveaxis(channel.power, 1, -1)), -1, 1)
    np.testing.assert_allclose(channel.distortion_ratio, reach * ratio, rtol=1e-5)


MEASURED = 30_000
VALUES = np.array([0.5, 1.2, -0.7, 0.0, -0.1])
"""An element of each worker, one of whom is absent."""


def measuring(h: np.ndarray, std: float = 0.0, chips: int = 1, mean: float | np.ndarray = 1.0) -> AnalogLink:
    """A link of workers with gains h, [workers, symbols], and real noise of some standard deviation."""
    parts = {"compressor": SignedEnergy(chips), "precoder": MeanInversion(), "receiver": EnergyDifference()}
    return listening(known(h)._replace(mean=mean), std, 1, SignedEnergy.words, **parts)


def alike(values: np.ndarray = VALUES, elements: int = MEASURED) -> tf.Tensor:
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
    made = measuring(gains(5, 2 * chips * MEASURED, seed=2), std, chips)
    noise = 2 * std**2 * np.abs(VALUES).max() / (2 * chips * BUDGET)
    agrees(received(made, alike()), VALUES.sum(), np.sum((sides(VALUES) + chips * noise) ** 2) / chips)


def test_mean_and_variance_without_fading_are_those_of_random_signs():
    """Σ_{n≠m} s_n s_m √(x_n x_m) on each side, of variance 2·((Σ_n x_n)² − Σ_n x_n²)."""
    cross = 2 * (np.sum(sides(VALUES) ** 2) - np.sum(VALUES**2))
    agrees(received(measuring(np.ones((5, 2 * MEASURED), complex)), alike()), VALUES.sum(), cross)


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
    made = measuring(gains(5, 2 * MEASURED, seed=2))
    sent = np.sign(made.packed(alike()).sent.numpy()[[0, 1], ::2, 0])
    assert np.all(np.abs(sent.mean(axis=1)) <= 3 / np.sqrt(MEASURED))
    assert abs(np.mean(sent[0] * sent[1])) <= 3 / np.sqrt(MEASURED)


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
    made = measuring(np.sqrt(mean) * gains(5, 2 * MEASURED, seed=2), mean=mean)
    agrees(received(made, alike()), VALUES.sum(), np.sum(sides(VALUES) ** 2))
    strongest = np.abs(VALUES) @ (1 / mean) / np.max(np.abs(VALUES)[:, None] / mean)
    upload = made.received(made.sent(alike()))
    assert upload.power.numpy()[0] == pytest.approx(BUDGET, rel=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(BUDGET * 2 * MEASURED * 1e-3 * strongest.item(), rel=1e-9)
