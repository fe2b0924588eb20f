"""The differential privacy that the receiver's noise gives, where scaling factors are scheduled.

With messages no longer than L and a factor α_t that does not depend on them, another worker's data change what arrives
by at most 2Lα_t, in noise of variance N0/2T on each real part: ρ = Σ_t 4L²α_t²T/N0 of zero-concentrated differential
privacy (Bun and Steinke), from which ε = ρ + 2√(ρ·ln(1/δ)) follows for any δ. A factor that follows from what is sent
depends on the data, and voids this.
"""

import math

import numpy as np


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
    """ε of (ε, δ)-differential privacy. Shape of ρ.

    Raises:
        ValueError: δ is not between 0 and 1.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta = {delta}: must be between 0 and 1")
    return rho + 2 * np.sqrt(rho * math.log(1 / delta))
