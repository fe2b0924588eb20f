"""The differential privacy that the receiver's noise gives, where scaling factors are scheduled.

With messages no longer than L and a factor α_t that does not depend on them, another worker's data change what arrives
by at most 2Lα_t, in noise of variance N0/2T on each real part: ρ = Σ_t 4L²α_t²T/N0 of zero-concentrated differential
privacy (Bun and Steinke), from which ε = ρ + 2√(ρ·ln(1/δ)) follows for any δ. All uploads together are one Gaussian
mechanism, whose change is √(2ρ) standard deviations of its noise (Dong, Roth and Su), and whose least ε is known (Balle
and Wang). A factor that follows from what is sent depends on the data, and voids both.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr


def concentrated(lengths: np.ndarray, factors: np.ndarray, symbol_s: float, noise_psd_w_per_hz: float) -> np.ndarray:
    """ρ after each upload. Shapes [uploads].

    Arguments:
        lengths: L, the largest norm of a message in each upload.
        factors: α with which messages arrive in each [√W].
        symbol_s: length of a symbol T [s].
        noise_psd_w_per_hz: N0 [W/Hz].
    """
    return np.cumsum(4 * np.square(lengths * factors) * symbol_s / noise_psd_w_per_hz)


def epsilon(rho: np.ndarray, delta: float) -> np.ndarray:
    """Return the ε of (ε, δ)-differential privacy that any mechanism of such a ρ keeps to. Shape of ρ.

    Raises:
        ValueError: δ is not between 0 and 1.
    """
    _require(delta)
    return rho + 2 * np.sqrt(rho * math.log(1 / delta))


def exact_epsilon(rho: np.ndarray, delta: float) -> np.ndarray:
    """Return the least ε of (ε, δ)-differential privacy of a Gaussian mechanism. Shape of ρ.

    Raises:
        ValueError: δ is not between 0 and 1.

    Source: Balle and Wang, "Improving the Gaussian mechanism for differential privacy", theorem 8.
    """
    _require(delta)
    return np.vectorize(_least, otypes=[float])(np.sqrt(2 * np.asarray(rho, float)), delta)


def _least(change: float, delta: float) -> float:
    """ε for a change of so many standard deviations, by the threshold ε/μ − μ/2, which has a bound free of μ."""
    if change == 0 or not math.isfinite(change):
        return change
    if _delta(-change / 2, change) <= delta:
        return 0.0
    threshold = brentq(lambda at: _delta(at, change) - delta, -change / 2, math.sqrt(2 * math.log(1 / delta)))
    return change * (threshold + change / 2)  # pyright: ignore[reportOperatorIssue]


def _delta(threshold: np.ndarray | float, change: np.ndarray | float) -> np.ndarray:
    """δ at the threshold a; e^ε·Φ(−b), b = a + μ, is written as e^(−a²/2)·erfcx(b/√2)/2, so that it never overflows."""
    beyond = erfcx((threshold + change) / math.sqrt(2)) / 2
    return ndtr(-threshold) - np.exp(-np.square(threshold) / 2) * beyond


def _require(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta = {delta}: must be between 0 and 1")
