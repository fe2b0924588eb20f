"""Orthogonal digital uploads: Shannon rates (SNRs are linear), the split of the band, and slots, over arrays.

The band of S subcarriers is split equally and without rounding: worker n owns the interval [n·S/N, (n+1)·S/N) of
it, whole subcarriers and pieces of them, a piece being a share of the subcarrier's time.
"""

from typing import Literal

import numpy as np

RateGain = Literal["power", "amplitude"]


def spectral_efficiency(gains: np.ndarray, snr: np.ndarray | float, rate_gain: RateGain = "power") -> np.ndarray:
    """Shannon rate of a subcarrier, log2(1 + SNR·|h|²) [bit/s/Hz], elementwise.

    ``rate_gain="amplitude"`` takes |h| in place of |h|², as printed in Elgabli et al., section V-A.
    """
    magnitude = np.abs(gains)
    gain = magnitude**2 if rate_gain == "power" else magnitude
    return np.log1p(snr * gain) / np.log(2.0)


def band_split(num_workers: int, num_subcarriers: int) -> tuple[np.ndarray, np.ndarray]:
    """Which subcarriers each worker owns, and how much of each.

    Returns:
        Indices and shares in [0, 1], both of shape [workers, pieces]; each worker's shares add up to S/N.
    """
    if num_workers < 1 or num_subcarriers < 1:
        raise ValueError(f"num_workers = {num_workers}, num_subcarriers = {num_subcarriers}: both must be at least 1")
    edges = np.arange(num_workers + 1) * num_subcarriers / num_workers
    low, high = edges[:-1, None], edges[1:, None]
    pieces = int(np.ceil(num_subcarriers / num_workers)) + 1
    index = np.floor(low).astype(int) + np.arange(pieces)
    share = np.clip(np.minimum(high, index + 1) - np.maximum(low, index), 0.0, 1.0)
    return np.minimum(index, num_subcarriers - 1), share


def upload_slots(bits: float | np.ndarray, bits_per_slot: np.ndarray) -> np.ndarray:
    """Slots that each worker needs for an upload, ⌈bits / bits per slot⌉ and at least 1; infinite at rate 0."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.ceil(bits / bits_per_slot), 1.0)


def subcarriers_for_one_slot(bits: float, carried: np.ndarray) -> np.ndarray:
    """Subcarriers that each worker needs to finish within one slot, taken in the order of the last axis.

    Arguments:
        bits: length of an upload.
        carried: bits that the first m of the worker's subcarriers carry in a slot together, m from 1 on, rising once
            they are above 0. Shape [..., subcarriers].

    Returns:
        The least m that carries as many, or infinity where all given subcarriers do not suffice. Shape [...].
    """
    needed = 1.0 + np.sum(carried < bits, axis=-1)
    return np.where(carried[..., -1] < bits, np.inf, needed)
