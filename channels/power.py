"""Transmit power: budgets of an upload, and the common scaling factor that keeps every worker within them."""

from typing import Literal

import numpy as np

from .array_types import PerWorker, Symbols

PowerBudget = Literal["per_subcarrier", "per_upload"]
"""Power budget of a worker: P for each symbol on average, or P for the sum over all symbols of an upload."""


def transmit_power_w(
    snr_db: float | np.ndarray, spacing_hz: float, noise_psd_w_per_hz: float | np.ndarray
) -> np.ndarray:
    """Return the transmit power P of a worker on one subcarrier [W], from SNR = P/(W·N0).

    >>> print(f"{transmit_power_w(20.0, spacing_hz=15e3, noise_psd_w_per_hz=1e-9):.4f} W")
    0.0015 W

    W is the subcarrier spacing, N0 the noise power spectral density. An infinite SNR gives an infinite power.
    """
    return 10.0 ** (np.asarray(snr_db, dtype=float) / 10) * spacing_hz * noise_psd_w_per_hz


def upload_budget(power_w: float, symbols: int, kind: PowerBudget) -> float:
    """Return the power budget of one upload, the largest Σ_i |α x_i|² for its symbols x_i and a common factor α [W].

    Arguments:
        power_w: transmit power P on one subcarrier [W].
        symbols: number of complex symbols of the upload.
        kind: "per_upload": P, as in Elgabli et al., II-F; "per_subcarrier": P for each symbol, as in digital rates.
    """
    return power_w * symbols if kind == "per_subcarrier" else power_w


def common_scaling(signals: Symbols, budget: float) -> float:
    """Return the smallest factor α_n with α_n² Σ_i |x_{n,i}|² = budget [W], inf without any (Elgabli et al., II-F)."""
    with np.errstate(divide="ignore"):
        return float(np.sqrt(budget / np.sum(np.abs(signals) ** 2, axis=-1)).min())


def transmitted_energy_j(signals: Symbols, scaling: float, symbol_s: float) -> PerWorker:
    """Return the energy Σ_i |α x_i|²·T_s that each worker transmits in an upload of symbols of length T_s [J]."""
    power = np.sum(np.abs(signals) ** 2, axis=-1)
    return np.where(power > 0, scaling**2, 0.0) * power * symbol_s
