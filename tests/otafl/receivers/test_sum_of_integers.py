"""Sums of integers over the air: exact without noise, closed forms of errors in noise, silent workers, whole runs."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import otafl
from otafl.channels.effective_channel import Effective
from otafl.compressors import Uniform
from otafl.receivers import SumOfIntegers
from otafl.uplinks.analog_link import AnalogLink, Radio
from tests.otafl.small import SMALL
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.otafl.uplinks.test_combinations import EPSILON, SUBCARRIERS, WORKERS, carried, drawn, uplink

RANGE, BUDGET = 0.5, 2.0


def lattice_link(elements: int, levels: int, std: float, seed: int = 0) -> AnalogLink:
    radio = in_tensors(Radio(BUDGET, std, 1e-3, symbols=elements))
    noise = np.random.default_rng(seed).standard_normal((1, elements + Uniform.words, 1))
    gain = np.ones((1, 1, 1))
    parameters = in_tensors([levels, RANGE])
    parts = {"compressor": Uniform(*parameters), "receiver": SumOfIntegers(*parameters)}
    samples, words = (tf.constant(part) for part in np.split(noise, [elements], axis=1))
    draw = draw_of(Effective(gain, None, gain, None), samples, words=words, number=tf.constant(0))
    return linked(draw, radio, **parts)


def decoded(workers: int, levels: int, spread: float, elements: int = 40_000) -> tuple[np.ndarray, np.ndarray]:
    """Sums of integers that are equally likely, and those decoded in noise of a deviation in steps. Shape [d] each."""
    half, rng = (levels - 1) // 2, np.random.default_rng(workers)
    sent = rng.integers(-half, half, (workers, elements, 1), endpoint=True)
    message = tf.constant(sent * (RANGE / half))
    made = lattice_link(elements, levels, 1.0)
    scale = spread * RANGE / half / made.deviation(made.sent(message)).numpy()[0]
    made = lattice_link(elements, levels, float(scale))
    found = made.received(made.sent(message)).total.numpy()[0, :, 0] / (RANGE / half)
    np.testing.assert_allclose(found, np.rint(found), atol=1e-6)
    return sent.sum(axis=(0, 2)), np.rint(found)


@settings(max_examples=30)
@given(workers=st.integers(1, 300), half=st.integers(1, 500), seed=st.integers(0, 1000))
def test_sums_are_exact_without_noise(workers, half, seed):
    message = np.random.default_rng(seed).normal(0, RANGE, (workers, 20, 1))
    made = lattice_link(20, 2 * half + 1, 0.0, seed)
    sent = np.rint(made.packed(tf.constant(message)).sent.numpy() / (RANGE / half)).astype(int)
    upload = made.received(made.sent(tf.constant(message)))
    np.testing.assert_allclose(upload.total.numpy()[0] / (RANGE / half), sent.sum(axis=0), atol=1e-9)


def squared_error(spread: float) -> float:
    """E round(z)² = Σ_m m²·P(round z = ±m) = 2·Σ_{m ≥ 1} (2m - 1)·Q((m - 1/2)Δ/σ), in squared steps."""
    place = np.arange(1, 200)
    return float(2 * np.sum((2 * place - 1) * norm.sf((place - 0.5) / spread)))


@pytest.mark.parametrize("spread", [0.2, 0.35, 1.5])
@pytest.mark.parametrize(("workers", "levels"), [(1, 3), (10, 7)])
def test_errors_of_sums_are_those_of_pulse_amplitude_modulation(workers, levels, spread):
    """Wrong with a probability of 2·Q(Δ/2σ), as the row of points is unbounded."""
    wanted, found = decoded(workers, levels, spread)
    wrong, rate = np.mean(found != wanted), 2 * norm.sf(0.5 / spread)
    assert abs(wrong - rate) < 3 * np.sqrt(rate * (1 - rate) / len(wanted))
    squares = (found - wanted) ** 2
    assert abs(squares.mean() - squared_error(spread)) < 3 * squares.std() / np.sqrt(len(squares))


@pytest.mark.parametrize("fading", ["rayleigh", "tdl"])
@pytest.mark.parametrize("parts", [1, 2])
def test_truncated_sums_of_integers_are_their_complex_twin(fading, parts):
    """Symbols (k + jl)·Δ/h of active workers superpose; the server rounds both parts, then scales by N over their
    number, of which it is told."""
    keys: dict[str, Any] = {"compressor": "uniform", "receiver": "sum_of_integers", "levels": 5, "element_range": 1.5}
    made = uplink("analog", fading, inversion_threshold=EPSILON, elements_per_symbol=parts, **keys)
    message, step = drawn() / WORKERS, 1.5 / 2 / WORKERS
    upload, radio, h, noise = carried(made, fading, message)
    words = tf.constant(noise[message.shape[1] :, None])
    sent = made.chain.compressor.packed(tf.constant(message[..., None]), words, tf.constant(0)).sent.numpy()[..., 0]
    gains = np.tile(h[:, :SUBCARRIERS], (1, 5))[:, : message.shape[1] // parts]
    active = np.abs(gains) >= EPSILON
    assert 0 < active.mean() < 1
    points, noise = (of.reshape(*of.shape[:-1], -1, parts) for of in (sent, noise[: message.shape[1]]))
    joined = np.array([1, 1j])[:parts]
    symbols = np.where(active, points @ joined / gains, 0)
    alpha = np.sqrt(radio.budget / np.sum(np.abs(symbols) ** 2, axis=1).max())
    received = alpha * np.sum(gains * symbols, axis=0) + radio.noise_std * (noise @ joined)
    heard = np.stack([received.real, received.imag], axis=-1)[:, :parts] / alpha
    spoke = active.sum(axis=0)[:, None]
    expected = np.rint(heard / step) * step * np.where(spoke > 0, WORKERS / np.maximum(spoke, 1), 0)
    np.testing.assert_allclose(upload.total[0, :, 0], expected.reshape(-1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("precoder", "told"), [("channel_inversion", ""), ("truncated_inversion", "silence")])
def test_the_server_is_told_who_is_silent_where_some_are(precoder, told):
    chain = uplink("analog", compressor="uniform", receiver="sum_of_integers", precoder=precoder).chain
    assert chain.receiver.asks(chain.precoder) == told


def test_many_levels_without_noise_are_plain_sums():
    keys = SMALL | {"method": "FedAvg@analog", "uplink.inversion_threshold": 0.3, "channel.snr_db": np.inf}
    keys |= {"federation.workers": 6, "local.learning_rate": 0.1, "run.iterations": 4, "run.seeds": 1}
    levels = {"uplink.scheme": "SumComp", "uplink.levels": 65535, "uplink.element_range": 1.0}
    plain, made = (otafl.run("quickstart", keys | parts) for parts in ({"uplink.scheme": "truncation"}, levels))
    np.testing.assert_allclose(made["loss"], plain["loss"], rtol=1e-3)
    np.testing.assert_allclose(made["aggregation_nmse"], plain["aggregation_nmse"], rtol=1e-2)
