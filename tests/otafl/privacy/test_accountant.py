"""Differential privacy of the receiver's noise."""

import numpy as np
import pytest

from otafl.privacy import accountant


def test_concentrated_privacy_is_that_of_the_gaussian_mechanism():
    """ρ = Δ²/2σ² for a change of 2Lα in noise of variance N0/2T, upload by upload."""
    lengths, factors = np.array([1.0, 0.5]), np.array([3.0, 6.0])
    sensitivity, variance = 2 * lengths * factors, 1e-3 / (2 * 0.25)
    found = accountant.concentrated(lengths, factors, 0.25, 1e-3)
    np.testing.assert_allclose(found, np.cumsum(sensitivity**2 / (2 * variance)))


def test_epsilon_bounds_the_tail_of_privacy_loss():
    """P(loss > ε) ≤ δ for a loss N(ρ, 2ρ), as of two normal laws."""
    from scipy.stats import norm

    for rho in (1e-3, 0.1, 2.0, 50.0):
        for delta in (1e-2, 1e-5, 1e-10):
            epsilon = accountant.epsilon(np.array(rho), delta)
            assert norm.sf((epsilon - rho) / np.sqrt(2 * rho)) <= delta
    with pytest.raises(ValueError, match=r"delta = 1\.5: must be between 0 and 1"):
        accountant.epsilon(np.array(1.0), 1.5)
