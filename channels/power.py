"""Transmit power: what a worker may use, and the one scaling factor that keeps every worker within it."""

from typing import Literal

import numpy as np

PowerBudget = Literal["per_subcarrier", "per_upload"]


def transmit_power_w(
    snr_db: float | np.ndarray, spacing_hz: float, noise_psd_w_per_hz: float | np.ndarray
) -> np.ndarray:
    """Power P [W] of a worker on one subcarrier from SNR = P/(W·N0). An infinite SNR gives an infinite power."""
    return 10.0 ** (np.asarray(snr_db, dtype=float) / 10) * spacing_hz * noise_psd_w_per_hz


def upload_budget(power_w: float, symbols: int, kind: PowerBudget) -> float:
    """Largest Σ_i |α x_i|² [W] of one upload of so many complex symbols.

    ``per_upload`` is P, as Elgabli et al. write in section II-F; ``per_subcarrier`` is P for each symbol, which is P on
    average on each channel use, as the Shannon rate of a digital upload assumes.
    """
    return power_w * symbols if kind == "per_subcarrier" else power_w


def scaling_factors(signals: np.ndarray, budget: float) -> np.ndarray:
    """Each worker's own factor α_n with α_n² Σ_i |x_{n,i}|² = budget. Shape [workers].

    A worker with nothing to send has an infinite factor: it never binds.
    Source: Elgabli et al., section II-F.
    """
    with np.errstate(divide="ignore"):
        return np.sqrt(budget / np.sum(np.abs(signals) ** 2, axis=-1))


def common_scaling(signals: np.ndarray, budget: float) -> float:
    """The factor that all workers use, α = min_n α_n, for signals of shape [workers, elements]."""
    return float(np.min(scaling_factors(signals, budget)))


def transmitted_energy_j(signals: np.ndarray, scaling: float, symbol_s: float) -> np.ndarray:
    """Energy Σ_i |α x_i|²·T_s [J] that each worker spends on one upload. Shape [workers]."""
    power = np.sum(np.abs(signals) ** 2, axis=-1)
    return np.where(power > 0, scaling**2, 0.0) * power * symbol_s
