"""Truncated channel inversion: how often it is silent, what arrives, and an estimate without bias."""

import numpy as np
import pytest

from channels.fading import RayleighFading
from channels.inversion import silent_probability, sum_estimate, truncated_inversion
from channels.multiple_access import superpose


def rayleigh(workers: int, elements: int, seed: int = 0) -> np.ndarray:
    return RayleighFading().sample(np.random.default_rng(seed), workers, elements)


@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.5, 1.0, 2.0])
def test_silent_fraction_is_one_minus_exp(threshold):
    h = rayleigh(400, 500)
    _, active = truncated_inversion(np.ones(h.shape), h, threshold)
    expected = 1 - np.exp(-(threshold**2))
    assert silent_probability(threshold) == pytest.approx(expected, rel=1e-9)
    assert abs(np.mean(~active) - expected) < 5 * np.sqrt(expected * (1 - expected) / h.size)


def test_silent_probability_is_exact_for_a_tiny_threshold():
    """1 − exp(−ε²) → ε², where naive arithmetic gives 0."""
    assert silent_probability(1e-9) == pytest.approx(1e-18, rel=1e-12)


@pytest.mark.parametrize("complex_message", [False, True])
def test_active_symbols_arrive_as_the_message(complex_message):
    h, rng = rayleigh(30, 40), np.random.default_rng(1)
    message = rng.standard_normal(h.shape) + (1j * rng.standard_normal(h.shape) if complex_message else 0)
    signals, active = truncated_inversion(message, h, 0.5)
    assert 0 < active.sum() < active.size
    np.testing.assert_allclose((h * signals)[active], message[active], rtol=1e-12)
    assert not signals[~active].any()


def test_threshold_itself_is_active():
    _, active = truncated_inversion(np.ones((1, 3)), np.array([[0.5, 0.5j, 0.499 + 0j]]), 0.5)
    np.testing.assert_array_equal(active, [[True, True, False]])


def test_zero_gain_is_silent_without_division():
    with np.errstate(all="raise"):
        signals, active = truncated_inversion(np.ones((2, 1)), np.array([[0j], [2j]]), 1e-6)
    np.testing.assert_array_equal(active, [[False], [True]])
    np.testing.assert_allclose(signals, [[0], [-0.5j]])


def test_sum_estimate_is_exact_when_nobody_is_silent():
    h, message = rayleigh(20, 50), np.random.default_rng(2).standard_normal((20, 50))
    signals, active = truncated_inversion(message, h, 1e-9)
    assert active.all()
    np.testing.assert_allclose(sum_estimate(superpose(signals, h), active), message.sum(axis=0), rtol=1e-11)


def test_sum_estimate_is_unbiased():
    """The same messages under many fadings: the mean estimate is their sum, within 5 standard errors."""
    message = np.array([[1.0], [-2.0], [5.0], [0.5], [3.0]])
    h = rayleigh(len(message), 100_000)
    signals, active = truncated_inversion(np.broadcast_to(message, h.shape), h, 0.8)
    estimates = sum_estimate(superpose(signals, h), active)[active.any(axis=0)].real
    assert np.var(estimates) > 1
    assert abs(estimates.mean() - message.sum()) < 5 * estimates.std() / np.sqrt(estimates.size)


def test_sum_estimate_scales_by_those_who_spoke():
    """Three workers, of whom 3, 1 and 0 speak; noise received from nobody is thrown away."""
    active = np.array([[True, False, False], [True, True, False], [True, False, False]])
    np.testing.assert_allclose(sum_estimate(np.array([6.0, 2.0, 7.0]), active), [6.0, 6.0, 0.0])
