"""Codewords of finite length in the normal approximation, and their retransmissions.

A worker's upload is one codeword over all its symbols. In the normal approximation for complex symbols it carries
Σ C_i - √(Σ V_i)·Q⁻¹(ε) bits over parallel channels with SNRs γ_i. Here C = log2(1 + γ), V = (1 - (1 + γ)⁻²)·log2²(e).
Q is the tail of the standard normal distribution.

Source: Y. Polyanskiy, H. V. Poor, S. Verdú, "Channel Coding Rate in the Finite Blocklength Regime", equation (296), and
"Dispersion of Gaussian Channels" for parallel ones. Approximations: the remainder of (log2 n)/2 bits is left out; every
transmission of a codeword takes the same number of slots and fails independently.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import PerWorker
from .code import Begun, FallibleCode, register

COARSEST = 0.1
"""Size of groups of attempts over their mean number, where codewords hardly ever arrive."""
LEFT = 1e-9
"""Largest share of an upload's mean slots that may be left out, those of very unlikely attempts."""


@register("normal")
@dataclass(frozen=True)
class Normal(FallibleCode):
    """Code with one codeword for an upload in the normal approximation, sent again until it is decoded."""

    any_length: ClassVar[bool] = False

    @property
    def attempts(self) -> float:
        return 1 / (1 - self.block_error)

    def upload_slots(self, slots: PerWorker) -> np.ndarray:
        return until_decoded(slots, self.block_error)

    @property
    def backoff(self) -> float:
        """Back-off from capacity, Q⁻¹(ε), in standard deviations of the information density √V."""
        from scipy.special import ndtri

        return -float(ndtri(self.block_error))

    def carried(self, capacity: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        return capacity - self.backoff * np.sqrt(dispersion)

    def length(self, bits: float, rate: np.ndarray, dispersion: np.ndarray, begun: Begun = (0.0, 0.0)) -> np.ndarray:
        """Return the slots t of codewords of b bits, which solve C0 + tC - Q⁻¹(ε)·√(V0 + tV) = b."""
        square, missing = self.backoff**2, bits - np.asarray(begun[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = missing * rate + square * dispersion / 2
            last = missing**2 - square * begun[1]
            root = np.sqrt(np.maximum(middle**2 - rate**2 * last, 0.0))
            # Of the two roots the larger one is right for a back-off above 0, the smaller one below.
            slots = (middle + math.copysign(1.0, self.backoff) * root) / rate**2
        return np.select([np.isinf(rate), rate > 0], [0.0, slots], np.inf)


def dispersion(capacity: np.ndarray) -> np.ndarray:
    """Return the dispersion V of complex symbols of a capacity [bit], the variance of their information [bit²]."""
    return -np.expm1(-2 * np.log(2) * capacity) * np.log2(np.e) ** 2


def until_decoded(slots: PerWorker, error: float) -> np.ndarray:
    """Return the mean slots until the last of several codewords is decoded, E max_n(s_n·G_n).

    A codeword of s_n slots is sent G_n times, P(G_n > k) = ε^k. So the mean is the integral over t of
    1 - Π_n(1 - ε^⌊t/s_n⌋), which changes where a transmission ends. With ε above 0.9 attempts are counted in groups of
    0.1 of their mean number, and slots are exact to 1%.

    >>> print(f"{until_decoded(np.ones(100), error=0.01):.2f}")
    1.64
    """
    group = max(1, int(COARSEST / (1 - error)))
    error, slots = error**group, group * slots
    last = slots.max(axis=-1, keepdims=True)
    ending = (1 + group) / (2 * group) * last[..., 0]
    tries = 2 + int(math.log(LEFT * (1 - error) / slots.shape[-1]) / math.log(error))
    with np.errstate(invalid="ignore"):
        sent = np.floor(last / slots)[..., None] + np.arange(tries)
        ends = slots[..., None] * sent[..., 1:], np.diff(np.log1p(-(error**sent)))
        times, steps = (part.reshape(*part.shape[:-2], -1) for part in ends)  # of all workers together
        order = np.argsort(times, axis=-1)
        times, steps = (np.take_along_axis(part, order, axis=-1) for part in (times, steps))
        begun = np.log1p(-(error ** sent[..., 0])).sum(axis=-1, keepdims=True)
        missing = -np.expm1(np.cumsum(np.concatenate([begun, steps], axis=-1), axis=-1))
        waited = np.diff(times, prepend=last) * missing[..., :-1]
    return np.where(np.isinf(ending), np.inf, ending + waited.sum(axis=-1))
