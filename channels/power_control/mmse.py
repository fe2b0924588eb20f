"""Power control that makes the mean squared error of the received sum least."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from channels.combining import Combiner
from channels.gain import power_gain
from channels.power_control.protocol import PowerControl, register
from channels.precoding.protocol import PRECODERS, Precoder, Told


@dataclass(frozen=True)
class Denoising(Combiner):
    """Division by √η, which the receiver chooses from what it believes of the gains; w = 0 where it is infinite.

    Arguments:
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
    """

    snr: float

    def weights(self, h: np.ndarray, spoke: np.ndarray) -> np.ndarray:
        """Return 1/√η. Shape [..., subcarriers]."""
        return 1 / denoising(power_gain(h), self.snr)


@dataclass(frozen=True)
class LeastError(Precoder):
    """Compensation of phases with the amplitudes of the least mean squared error, |h·p| = min(|h|, √η).

    Arguments:
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.
    """

    snr: float

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return p = √(|p|²)·conj(h)/|h|. Shape [..., workers, subcarriers], complex."""
        gain = power_gain(h)
        turned = np.divide(h.conj(), np.sqrt(gain), out=np.zeros(np.shape(h), complex), where=gain > 0)
        return np.sqrt(self.power(gain)) * turned

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return |p|² = min(1, η/|h|²), 0 at a gain of 0. Shape [..., workers, subcarriers]."""
        level = np.square(denoising(gain, self.snr))[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gain > 0, np.minimum(1.0, level / gain), 0.0).astype(gain.dtype)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return h·p = min(|h|, √η), before the division. Shape [..., workers, subcarriers]."""
        return np.minimum(np.sqrt(gain), denoising(gain, self.snr)[..., None, :]).astype(gain.dtype)


@register("mmse")
@dataclass(frozen=True)
class MmsePower(PowerControl):
    """Least mean squared error of a sum of independent elements of mean square 1, on each subcarrier.

    Workers in good channels invert them, p = √η/h, those in bad ones speak at full power, |p| = 1, and the receiver
    divides by √η. Workers compensate their phases. Full power is that of the mean over an upload's elements, were all
    subcarriers as bad.

    Source: X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading
    Channels", theorem 1; of the noise, the real part counts.
    """

    by_snr: ClassVar[bool] = True
    asks: ClassVar[Told] = "gains"

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Refuse precoders that say how strongly workers transmit."""
        if chain.precoder.phase_only:
            return ""
        known = " or ".join(repr(name) for name, made in PRECODERS.items() if made.phase_only)
        return f"chooses amplitudes itself, and goes with uplink.precoder = {known}"

    def controlled(self, precoder: Precoder, snr: float) -> Precoder:
        """Return a precoder that compensates phases, with the amplitudes of the least error."""
        return LeastError(snr)

    def combiner(self, snr: float) -> Combiner:
        """Return the division by √η."""
        return Denoising(snr)

    def budgeted_power(self, precoder: Precoder, mean: np.ndarray) -> np.ndarray:
        """Return full power, 1. Shape of mean."""
        return np.ones_like(mean)


def denoising(gain: np.ndarray, snr: float) -> np.ndarray:
    """√η = min_k (σ² + Σ_{i≤k} a_i²)/Σ_{i≤k} a_i over a_k = |h_k|, ascending; infinite where nobody is heard.

    The error is convex in 1/√η, and the k-th term is where its slope would vanish if the first k workers spoke at full
    power: the least of them is the one whose k is right. The noise is that of the real part, σ² = 1/(2·SNR).

    Arguments:
        gain: |h|². Shape [..., workers, subcarriers].
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear.

    Returns:
        Shape [..., subcarriers].

    Raises:
        ValueError: the SNR is not positive.
    """
    if not snr > 0:
        raise ValueError(f"snr = {snr}: must be positive")
    ascending = np.sort(gain, axis=-2)
    powers, sums = np.cumsum(ascending, axis=-2), np.cumsum(np.sqrt(ascending), axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(sums > 0, (0.5 / snr + powers) / sums, np.inf)
    return found.min(axis=-2)
