"""Counts of codewords by message passing: posterior laws by brute force, state evolution, the paper's setting, runs."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.channels.effective_channel import Effective
from otafl.compressors import CodebookIndices
from otafl.receivers import CodewordCounts, amp
from otafl.receivers.codeword_counts import counted, passed, posterior
from otafl.uplinks.analog_link import Radio
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

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


@pytest.mark.parametrize(("mean", "noise"), [(0.05, 0.1), (0.1, 0.1)])
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
