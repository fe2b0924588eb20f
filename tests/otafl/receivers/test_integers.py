"""Sums of integers, and counts of codewords, over the air: closed forms, state evolution, whole runs."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from otafl.channels.effective_channel import Effective
from otafl.compressors import CodebookIndices, Uniform
from otafl.receivers import CodewordCounts, SumOfIntegers, amp
from otafl.receivers.codeword_counts import counted, passed, posterior
from otafl.uplinks.analog_link import AnalogLink, Radio
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.otafl.uplinks.test_combinations import EPSILON, SUBCARRIERS, WORKERS, carried, drawn, uplink

CODEWORDS, LENGTH, DRAWS, COLUMNS = 2048, 1024, 24, 4


def brute(seen: np.ndarray, variance: float, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Posterior mean and variance over counts up to 60. Shape of seen each."""
    counts, slope = np.arange(61.0), np.log(mean / (1 + mean))
    exponent = counts * slope - (seen[..., None] - counts) ** 2 / (2 * variance)
    weights = np.exp(exponent - exponent.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    found = weights @ counts
    return found, np.sum(weights * (counts - found[..., None]) ** 2, axis=-1)


@pytest.mark.parametrize(("variance", "off"), [(0.01, 1e-12), (0.1, 1e-4), (0.3, 0.1)])
@pytest.mark.parametrize("mean", [0.01, 0.2, 2.0])
def test_posterior_laws_are_those_of_brute_force(variance, off, mean):
    """One number on each side of the likeliest is enough until noise is as large as counts."""
    seen = np.linspace(-3, 25, 200)[:, None]
    found, spread = posterior(*(tf.constant(value, tf.float64) for value in (seen, [variance], [mean])))
    for one, other in zip((found, spread), brute(seen[:, 0], variance, mean), strict=True):
        np.testing.assert_allclose(one[:, 0], other, atol=off)


def risk(level: float, mean: float) -> float:
    """E(E[c | c + τz] - c)² of geometric counts c in normal noise of variance τ²."""
    place, weight = np.polynomial.hermite_e.hermegauss(101)
    counts = np.arange(40.0)
    law = (mean / (1 + mean)) ** counts / (1 + mean)
    seen = counts[:, None] + np.sqrt(level) * place
    found, _ = posterior(*(tf.constant(value, tf.float64) for value in (seen, [level] * 101, [mean] * 101)))
    return float(law @ ((found.numpy() - counts[:, None]) ** 2 @ weight) / weight.sum())


def errors(seed: int, mean: float, noise: float, rounds: int) -> np.ndarray:
    """Mean-squared errors of counts after each round. Shape [rounds]."""
    rng = np.random.default_rng(seed)
    counts = rng.geometric(1 / (1 + mean), (CODEWORDS, COLUMNS)) - 1.0
    operator = amp.matrix(CODEWORDS, LENGTH, tf.constant(seed), tf.float64)
    signal = operator @ counts + np.sqrt(noise) * rng.standard_normal((LENGTH, COLUMNS))
    found, residual, found_errors = tf.zeros([CODEWORDS, COLUMNS], tf.float64), signal, []
    for _ in range(rounds):
        found, residual = passed(operator, signal, found, residual, tf.fill([COLUMNS], tf.constant(mean, tf.float64)))
        found_errors.append(np.mean((found - counts) ** 2))
    return np.array(found_errors)


@pytest.mark.parametrize(("mean", "noise"), [pytest.param(0.05, 0.1, marks=pytest.mark.slow), (0.1, 0.1)])
def test_errors_are_those_of_state_evolution(mean, noise):
    """τ² ← σ² + Q/L·E(E[c | c + τz] - c)², within 3 standard errors of the mean over draws; few workers send, so that
    the whole numbers taken in are enough."""
    simulated = np.array([errors(seed, mean, noise, 5) for seed in range(DRAWS)])
    level, theory = noise + CODEWORDS / LENGTH * (mean + 2 * mean**2), []
    for _ in range(5):
        theory.append(risk(level, mean))
        level = noise + CODEWORDS / LENGTH * theory[-1]
    off = simulated.mean(axis=0) - theory
    standard_error = simulated.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(off) < 3 * standard_error).all(), off / standard_error


def right(active: int, length: int, noise: float) -> float:
    """Share of segments whose counts of 64 codewords of a length are all found, where workers choose alike, in noise of
    a standard deviation over the root mean square of the sums."""
    rng, found = np.random.default_rng(0), []
    for draw in range(8):
        counts = rng.multinomial(active, np.full(64, 1 / 64), 250).T.astype(float)
        operator = amp.matrix(64, length, tf.constant(draw), tf.float64)
        signal = operator.numpy() @ counts
        heard = signal + noise * np.sqrt(np.mean(signal**2)) * rng.standard_normal(signal.shape)
        found.append((counted(operator, tf.constant(heard)).numpy() == counts).all(axis=0))
    return float(np.mean(found))


@pytest.mark.slow
def test_counts_of_the_papers_setting_are_found():
    """12 of 40 workers active, 64 codewords of length 64: at 20 dB, not at 0 dB; of length 32 without noise."""
    assert right(12, 64, 0.1) > 0.985
    assert right(12, 64, 1.0) < 0.1
    assert right(8, 32, 0.0) > 0.9


@pytest.mark.parametrize("elements", [40, 47])
def test_sums_of_what_is_kept_arrive_without_noise(elements):
    scale = tf.constant([0.3], tf.float64)
    compressor, receiver = (
        made(segment=10).with_numbers({"codeword_scale": scale}) for made in (CodebookIndices, CodewordCounts)
    )
    numbers = compressor.symbols(elements)
    radio = in_tensors(Radio(1.0, 0.0, 1e-3, symbols=numbers))
    gain = np.random.default_rng(2).exponential(size=(5, numbers, 1)) + 0.3
    draw = draw_of(Effective(gain, None, 1 / gain, None), tf.zeros([1, numbers, 1], tf.float64), number=tf.constant(0))
    link = linked(draw, radio, compressor=compressor, receiver=receiver)
    message = tf.constant(np.random.default_rng(3).standard_normal((5, elements, 1)))
    (light,), _ = link.compress((message,), (tf.zeros_like(message),))
    upload = link.received(link.sent(light))
    np.testing.assert_allclose(upload.total[0], np.sum(light, axis=0), atol=1e-9)
    assert upload.error.numpy()[0, 0] < 1e-15


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
    """Symbols (k + jl)·Δ/h superpose; the server rounds both parts and scales by N over the number of active ones."""
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
