"""Differential privacy by the receiver's noise, for scaling factors that do not depend on the data.

Messages have a norm of L at most, and a factor α_t that does not depend on them. Then other data of one worker change
the received sum by 2Lα_t at most, in noise of variance N0/2T on each real part. This gives ρ = Σ_t 4L²α_t²T/N0 of
zero-concentrated differential privacy (Bun and Steinke), and from it ε = ρ + 2√(ρ·ln(1/δ)) for any δ. All uploads
together are one Gaussian mechanism with a change of √(2ρ) standard deviations of its noise (Dong, Roth and Su). Balle
and Wang give its least ε. A factor that depends on the messages depends on the data, and voids both bounds.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr


def concentrated(lengths: np.ndarray, factors: np.ndarray, symbol_s: float, noise_psd_w_per_hz: float) -> np.ndarray:
    """Return ρ after each upload, for messages of 2-norm L at most, factors α [√W], symbols of T [s]. [uploads]"""
    return np.cumsum(4 * np.square(lengths * factors) * symbol_s / noise_psd_w_per_hz)


def epsilon(rho: np.ndarray, delta: float) -> np.ndarray:
    """Return the ε of (ε, δ)-differential privacy that follows from ρ for any mechanism; ValueError for other δ.

    Source: Bun and Steinke, "Concentrated differential privacy: simplifications, ...", proposition 1.3.
    """
    _require(delta)
    return rho + 2 * np.sqrt(rho * math.log(1 / delta))


def exact_epsilon(rho: np.ndarray, delta: float) -> np.ndarray:
    """Return the least ε of (ε, δ)-differential privacy of a Gaussian mechanism with a given ρ, of any shape.

    >>> exact_epsilon(np.array([1.0]), delta=1e-5).round(2)
    array([6.57])

    Source: Balle and Wang, "Improving the Gaussian mechanism for differential privacy", theorem 8.
    """
    _require(delta)
    return np.vectorize(_least, otypes=[float])(np.sqrt(2 * np.asarray(rho, float)), delta)


def _least(change: float, delta: float) -> float:
    """Return ε for a change of μ standard deviations, by the threshold ε/μ − μ/2, whose bound is free of μ."""
    if change == 0 or not math.isfinite(change):
        return change
    if _delta(-change / 2, change) <= delta:
        return 0.0
    threshold = brentq(lambda at: _delta(at, change) - delta, -change / 2, math.sqrt(2 * math.log(1 / delta)))
    return change * (threshold + change / 2)  # pyright: ignore[reportOperatorIssue]


def _delta(threshold: np.ndarray | float, change: np.ndarray | float) -> np.ndarray:
    """Return δ at the threshold a; e^ε·Φ(−b), b = a + μ, is e^(−a²/2)·erfcx(b/√2)/2 here, which never overflows."""
    beyond = erfcx((threshold + change) / math.sqrt(2)) / 2
    return ndtr(-threshold) - np.exp(-np.square(threshold) / 2) * beyond


def _require(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta = {delta}: must be between 0 and 1")
