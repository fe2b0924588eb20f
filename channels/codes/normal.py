"""Codewords of finite length in the normal approximation, and their retransmissions.

A worker's upload is one codeword over all its symbols. In the normal approximation for complex symbols it carries
Σ C_i - √(Σ V_i)·Q⁻¹(ε) bits over parallel channels with SNRs γ_i. Here C = log2(1 + γ), V = (1 - (1 + γ)⁻²)·log2²(e).
With probability ε it is not decoded and is sent again: 1/(1 - ε) times in the mean. An upload of several workers ends
with the last of them.

Source: Y. Polyanskiy, H. V. Poor, S. Verdú, "Channel Coding Rate in the Finite Blocklength Regime", equation (296), and
"Dispersion of Gaussian Channels" for parallel ones. Approximations: the remainder of (log2 n)/2 bits is left out;
every transmission of a codeword takes the same number of slots and fails independently.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .code import Begun, FallibleCode, register

COARSEST = 0.1
"""Size of groups of attempts over their mean number, where codewords hardly ever arrive."""
LEFT = 1e-9
"""Largest share of an upload's mean slots that may be left out, those of very unlikely attempts."""


@register("normal")
@dataclass(frozen=True)
class Normal(FallibleCode):
    """Code with one codeword for an upload, in the normal approximation.

    Arguments:
        block_error: probability ε that a codeword is not decoded, and is sent again.
    """

    any_length: ClassVar[bool] = False

    @property
    def attempts(self) -> float:
        """Mean number of transmissions of a codeword, 1/(1 - ε), for a probability ε that it is not decoded."""
        return 1 / (1 - self.block_error)

    def upload_slots(self, slots: np.ndarray) -> np.ndarray:
        """Return the mean slots until all codewords of an upload are decoded; failed ones are sent again.

        Arguments:
            slots: slots of one transmission of each worker's codeword. Shape [..., workers].

        Returns:
            Slots of the whole upload. Shape [...].
        """
        return until_decoded(slots, self.block_error)

    @property
    def backoff(self) -> float:
        """Back-off from capacity, Q⁻¹(ε), in standard deviations of the information density √V.

        Q is the tail of the standard normal distribution, ε the probability of an error, and V the dispersion."""
        from scipy.special import ndtri

        return -float(ndtri(self.block_error))

    def carried(self, capacity: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        """Return the bits of a codeword, C - Q⁻¹(ε)·√V; below 0 where it is too short. Shape of capacity.

        Q⁻¹ is the inverse of the standard normal distribution's tail, and ε the probability that a codeword is not
        decoded.

        Arguments:
            capacity: sum C of the capacities of its symbols [bit]. Any shape.
            dispersion: sum V of the dispersions (variances of information) of its symbols [bit²]. Shape of capacity.
        """
        return capacity - self.backoff * np.sqrt(dispersion)

    def length(self, bits: float, rate: np.ndarray, dispersion: np.ndarray, begun: Begun = (0.0, 0.0)) -> np.ndarray:
        """Return the slots t of a codeword of b bits, not rounded; infinite at rate 0. Shape of rate.

        They solve C0 + tC - Q⁻¹(ε)·√(V0 + tV) = b, where Q⁻¹ is the inverse of the standard normal distribution's tail,
        and ε the probability that a codeword is not decoded.

        Arguments:
            bits: bits b of the codeword.
            rate: capacity C of the symbols of a slot [bit/slot]. Any shape.
            dispersion: dispersion V of the symbols of a slot [bit²/slot]. Shape of rate.
            begun: capacity C0 [bit] and dispersion V0 [bit²] of the symbols that are sent already. Shape of rate each,
                or one number for all.
        """
        square, missing = self.backoff**2, bits - np.asarray(begun[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = missing * rate + square * dispersion / 2
            last = missing**2 - square * begun[1]
            root = np.sqrt(np.maximum(middle**2 - rate**2 * last, 0.0))
            found = (middle + math.copysign(1.0, self.backoff) * root) / rate**2
        return np.select([np.isinf(rate), rate > 0], [0.0, found], np.inf)


def dispersion(capacity: np.ndarray) -> np.ndarray:
    """Return the dispersion V of complex symbols, the variance of their information [bit²]. Shape of capacity.

    It is V = (1 - (1 + γ)⁻²)·log2²(e) at SNR γ, linear.

    Arguments:
        capacity: capacity log2(1 + γ) of a symbol [bit]. Any shape.
    """
    return -np.expm1(-2 * np.log(2) * capacity) * np.log2(np.e) ** 2


def until_decoded(slots: np.ndarray, error: float) -> np.ndarray:
    """Return the mean slots until the last of several codewords is decoded, E max_n(s_n·G_n).

    A codeword of s_n slots is sent G_n times, P(G_n > k) = ε^k. So the mean is the integral over t of
    1 - Π_n(1 - ε^⌊t/s_n⌋), which changes where a transmission ends; for s_n = 1 and N workers it is
    Σ_k [1 - (1 - ε^k)^N].

    Arguments:
        slots: slots s_n of one transmission of worker n's codeword. Shape [..., workers].
        error: probability ε that a codeword is not decoded. Above 0.9 attempts are counted in groups of
            0.1 of their mean number, and the last group ends in its middle. Slots are then exact to 1%.

    Returns:
        Mean slots. Shape [...].
    """
    group = max(1, int(COARSEST / (1 - error)))
    error, slots = error**group, group * slots
    last = slots.max(axis=-1, keepdims=True)
    ending = (1 + group) / (2 * group) * last[..., 0]
    tries = 2 + int(math.log(LEFT * (1 - error) / slots.shape[-1]) / math.log(error))
    with np.errstate(invalid="ignore"):
        sent = np.floor(last / slots)[..., None] + np.arange(tries)
        times, steps = _in_order(slots[..., None] * sent[..., 1:], np.diff(np.log1p(-(error**sent))))
        begun = np.log1p(-(error ** sent[..., 0])).sum(axis=-1, keepdims=True)
        missing = -np.expm1(np.cumsum(np.concatenate([begun, steps], axis=-1), axis=-1))
        waited = np.diff(times, prepend=last) * missing[..., :-1]
    return np.where(np.isinf(ending), np.inf, ending + waited.sum(axis=-1))


def _in_order(times: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort all workers' times, and their steps with them. Shape [..., workers, times] to [..., workers·times] each."""
    times, steps = (each.reshape(*each.shape[:-2], -1) for each in (times, steps))
    order = np.argsort(times, axis=-1)
    return np.take_along_axis(times, order, axis=-1), np.take_along_axis(steps, order, axis=-1)
