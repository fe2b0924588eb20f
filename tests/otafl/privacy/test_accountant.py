"""Differential privacy of the receiver's noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import floats
from scipy.stats import norm

from otafl.privacy import accountant


def exact_delta(epsilon: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Return the least δ of (ε, δ)-differential privacy of a Gaussian mechanism: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ),
    μ = √(2ρ) > 0."""
    change = np.sqrt(2 * rho)
    return accountant._delta(epsilon / change - change / 2, change)


def test_concentrated_privacy_is_that_of_the_gaussian_mechanism():
    """ρ = Δ²/2σ² for a change of 2Lα in noise of variance N0/2T, upload by upload."""
    lengths, factors = np.array([1.0, 0.5]), np.array([3.0, 6.0])
    sensitivity, variance = 2 * lengths * factors, 1e-3 / (2 * 0.25)
    found = accountant.concentrated(lengths, factors, 0.25, 1e-3)
    np.testing.assert_allclose(found, np.cumsum(sensitivity**2 / (2 * variance)))


def test_epsilon_bounds_the_tail_of_privacy_loss():
    """P(loss > ε) ≤ δ for a loss N(ρ, 2ρ), as of two normal laws."""
    for rho in (1e-3, 0.1, 2.0, 50.0):
        for delta in (1e-2, 1e-5, 1e-10):
            epsilon = accountant.epsilon(np.array(rho), delta)
            assert norm.sf((epsilon - rho) / np.sqrt(2 * rho)) <= delta
    with pytest.raises(ValueError, match=r"delta = 1\.5: must be between 0 and 1"):
        accountant.epsilon(np.array(1.0), 1.5)


def test_the_exact_epsilon_is_that_of_the_analytic_gaussian_mechanism():
    """Against zero-concentrated privacy at ρ = 1, δ = 1e-5; and Balle and Wang's δ, term by term, of two laws."""
    one = np.array(1.0)
    assert accountant.exact_epsilon(one, 1e-5) == pytest.approx(6.57, abs=0.005)
    assert accountant.epsilon(one, 1e-5) == pytest.approx(7.79, abs=0.005)
    for rho in (0.01, 1.0, 30.0):
        change, epsilon = np.sqrt(2 * rho), np.linspace(0, 8, 5)
        terms = norm.cdf(change / 2 - epsilon / change), norm.cdf(-change / 2 - epsilon / change)
        np.testing.assert_allclose(
            exact_delta(epsilon, np.array(rho)), terms[0] - np.exp(epsilon) * terms[1], atol=1e-12
        )


RHO, DELTA = floats(1e-6, 1e6), floats(1e-12, 0.5)


@given(RHO, floats(1.01, 10), DELTA, floats(1.01, 2))
def test_the_exact_epsilon_gives_delta_and_is_below_the_bound(rho, more, delta, wider):
    found, later = accountant.exact_epsilon(np.array([rho, rho * more]), delta)
    assert 0 <= found <= accountant.epsilon(np.array(rho), delta)
    there = exact_delta(found, np.array(rho))
    assert there == pytest.approx(delta, rel=1e-5) if found > 0 else there <= delta
    assert found <= later
    assert accountant.exact_epsilon(np.array(rho), min(0.9, delta * wider)) <= found


def test_no_noise_and_no_signal_are_the_ends_of_the_exact_epsilon():
    with np.errstate(all="raise"):
        found = accountant.exact_epsilon(np.array([0.0, 1e-14, np.inf, np.nan]), 1e-5)
    np.testing.assert_array_equal(found, [0, 0, np.inf, np.nan])
    with pytest.raises(ValueError, match=r"delta = 0: must be between 0 and 1"):
        accountant.exact_epsilon(np.array(1.0), 0)
