"""Transmit power: budgets of an upload, and the common scaling factor that keeps every worker within them."""

from typing import Literal

import numpy as np

PowerBudget = Literal["per_subcarrier", "per_upload"]


def transmit_power_w(
    snr_db: float | np.ndarray, spacing_hz: float, noise_psd_w_per_hz: float | np.ndarray
) -> np.ndarray:
    """Return the transmit power P of a worker on one subcarrier [W], from SNR = P/(W·N0). Shape of snr_db.

    Arguments:
        snr_db: SNR [dB]; an infinite one gives an infinite power. Any shape.
        spacing_hz: subcarrier spacing W [Hz].
        noise_psd_w_per_hz: noise power spectral density N0 [W/Hz]. One number, or the shape of snr_db.
    """
    return 10.0 ** (np.asarray(snr_db, dtype=float) / 10) * spacing_hz * noise_psd_w_per_hz


def upload_budget(power_w: float, symbols: int, kind: PowerBudget) -> float:
    """Return the power budget of one upload [W], the largest Σ_i |α x_i|² for its symbols x_i.

    The factor α is that of power control.

    Arguments:
        power_w: transmit power P on one subcarrier [W].
        symbols: number of complex symbols of the upload.
        kind: "per_upload": P, as in Elgabli et al., section II-F; "per_subcarrier": P for each symbol, so P on average
            on each channel use, as in the Shannon rate of a digital upload.
    """
    return power_w * symbols if kind == "per_subcarrier" else power_w


def scaling_factors(signals: np.ndarray, budget: float) -> np.ndarray:
    """Return each worker's scaling factor α_n with α_n² Σ_i |x_{n,i}|² = budget. Shape [workers].

    The sum is over the elements i of worker n. Factors are in √W over the unit of the signals; that of a worker with
    nothing to send is infinite. Source: Elgabli et al., section II-F.

    Arguments:
        signals: symbols x before power control, complex or real, of any unit. Shape [workers, elements].
        budget: power budget of an upload, the same for all workers [W].
    """
    with np.errstate(divide="ignore"):
        return np.sqrt(budget / np.sum(np.abs(signals) ** 2, axis=-1))


def common_scaling(signals: np.ndarray, budget: float) -> float:
    """Return the common scaling factor of all workers, the smallest α_n of ``scaling_factors``.

    With it the worker of the largest power takes its whole budget, and no worker exceeds it. It is in √W over the unit
    of the signals.

    Arguments:
        signals: symbols x before power control, complex or real, of any unit. Shape [workers, elements].
        budget: power budget of an upload, the same for all workers [W].
    """
    return float(np.min(scaling_factors(signals, budget)))


def transmitted_energy_j(signals: np.ndarray, scaling: float, symbol_s: float) -> np.ndarray:
    """Return the energy Σ_i |α x_i|²·T_s that each worker transmits in one upload [J]. Shape [workers].

    Arguments:
        signals: symbols x_i of each worker before power control, complex or real. Shape [workers, elements].
        scaling: common scaling factor α, with which |α x_i|² is in W.
        symbol_s: length T_s of a symbol [s].
    """
    power = np.sum(np.abs(signals) ** 2, axis=-1)
    return np.where(power > 0, scaling**2, 0.0) * power * symbol_s
