"""Orthogonal digital uploads: Shannon rates, the split of the band, and slots; SNRs are linear.

The band of S subcarriers is split equally and without rounding: worker n has its interval [n·S/N, (n+1)·S/N), whole
subcarriers and pieces of them. A piece is a share of the subcarrier's time.
"""

from typing import Literal

import numpy as np

from .array_types import Gains, PerSubcarrier, Rates, Shares

RateGain = Literal["power", "amplitude"]
"""Gain in the Shannon rate of a subcarrier: |h|², or |h| as the A-FADMM paper prints it."""


def spectral_efficiency(gains: Gains, snr: np.ndarray | float, rate_gain: RateGain = "power") -> Rates:
    """Return the Shannon rate of subcarriers, log2(1 + SNR·|h|²) [bit/s/Hz].

    >>> spectral_efficiency(np.array([1.0, 1j]), snr=3.0)
    array([2., 2.])

    Arguments:
        gains: gains h, or real magnitudes |h|, which give the same rate.
        snr: SNR at a gain of 1, linear; it broadcasts to the gains.
        rate_gain: "power" for |h|²; "amplitude" for |h|, as printed in Elgabli et al., section V-A.
    """
    magnitude = np.abs(gains)
    gain = magnitude**2 if rate_gain == "power" else magnitude
    return np.log1p(snr * gain) / np.log(2.0)


def band_split(num_workers: int, num_subcarriers: int) -> tuple[np.ndarray, Shares]:
    """Return the subcarriers of each worker's part of the band, and its share of each. Shape [workers, pieces] each.

    Subcarriers are indices from 0. Pieces are whole subcarriers or parts of them, ⌈S/N⌉ + 1 for each worker.
    """
    edges = np.arange(num_workers + 1) * num_subcarriers / num_workers
    low, high = edges[:-1, None], edges[1:, None]
    pieces = int(np.ceil(num_subcarriers / num_workers)) + 1
    index = np.floor(low).astype(int) + np.arange(pieces)
    share = np.clip(np.minimum(high, index + 1) - np.maximum(low, index), 0.0, 1.0)
    return np.minimum(index, num_subcarriers - 1), share


def upload_slots(bits: float | np.ndarray, bits_per_slot: np.ndarray) -> np.ndarray:
    """Return the whole slots of uploads, ⌈bits / bits per slot⌉ and at least 1; infinite at rate 0."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.ceil(bits / bits_per_slot), 1.0)


def subcarriers_for_one_slot(bits: float, carried: PerSubcarrier) -> np.ndarray:
    """Return with how many of its first subcarriers a worker's upload ends in a slot; inf: more than are given."""
    needed = 1.0 + np.sum(carried < bits, axis=-1)
    return np.where(carried[..., -1] < bits, np.inf, needed)
