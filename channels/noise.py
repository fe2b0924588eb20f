"""Noise of the receiver: white Gaussian or alpha-stable, and its variance behind the matched filter."""

import numpy as np


def complex_normal(rng: np.random.Generator, shape: tuple[int, ...], variance: float = 1.0) -> np.ndarray:
    """Draw independent circularly symmetric complex normal samples CN(0, variance) of a shape."""
    return np.sqrt(variance / 2) * rng.standard_normal((*shape, 2)).view(np.complex128)[..., 0]


def stable_factors(normals: np.ndarray, alpha: float) -> np.ndarray:
    """Return factors √A that make normal samples symmetric alpha-stable, A being positive and α/2-stable.

    With X = √A·G, G ~ N(0, σ²), E exp(jtX) = exp(−|σt/√2|^α). With α = 2 all are 1. One factor on a complex normal
    sample makes an isotropic sample. Source: M. Kanter, "Stable densities under change of scale and total variation
    inequalities": A = sin(βU)/sin(U)^(1/β)·(sin((1 − β)U)/E)^((1 − β)/β) with β = α/2, U ~ U(0, π), E ~ Exp(1).

    Arguments:
        normals: two samples N(0, 1) for each factor, of which U and E are made. Shape [2, ...].
        alpha: exponent α of the tails, above 0 to 2.
    """
    from scipy.special import log_ndtr, ndtr

    beta, (first, second) = alpha / 2, normals.astype(np.float64)
    angle, exponential = np.pi * ndtr(first), -log_ndtr(second)
    ratio = np.sin(beta * angle) / np.sin(angle) ** (1 / beta)
    return np.sqrt(ratio * (np.sin((1 - beta) * angle) / exponential) ** ((1 - beta) / beta))


def matched_filter_variance(noise_psd_w_per_hz: float, symbol_s: float) -> float:
    """Return the variance N0/T_s behind a matched filter, symbols of length T_s [W] (Elgabli et al., equation (12))."""
    return noise_psd_w_per_hz / symbol_s
