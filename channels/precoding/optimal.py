"""Power control that makes the mean squared error of the received sum least."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from channels.combining import Combiner, Denoising
from channels.gain import power_gain
from channels.precoding.protocol import Precoder, register


@register("optimal_power")
@dataclass(frozen=True)
class OptimalPower(Precoder):
    """Those in good channels invert them, p = √η/h, those in bad ones speak at full power, |p| = 1, and the receiver
    divides by √η; on each subcarrier that makes the error of a sum of independent elements of mean square 1 least.

    Arguments:
        snr: energy of a real element at full power over a channel of gain 1, over N0, linear: noise on it has a
            variance of 1/(2·SNR).

    Raises:
        ValueError: the SNR is not positive.

    Source: X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading
    Channels", theorem 1; of the noise, the real part counts.
    """

    snr: float
    asks: ClassVar[Literal["", "silence", "gains"]] = "gains"

    def __post_init__(self) -> None:
        if not self.snr > 0:
            raise ValueError(f"snr = {self.snr}: must be positive")

    @property
    def combiner(self) -> Combiner:
        """Division by √η."""
        return Denoising(lambda h: self.denoising(power_gain(h)))

    def denoising(self, gain: np.ndarray) -> np.ndarray:
        """√η = min_k (σ² + Σ_{i≤k} a_i²)/Σ_{i≤k} a_i over a_k = |h_k|, ascending; the noise is that of the real part,
        σ² = 1/(2·SNR). Infinite where nobody is heard. Shape [..., subcarriers].

        The error is convex in 1/√η, and the k-th term is where its slope would vanish if the first k workers spoke at
        full power: the least of them is the one whose k is right.
        """
        ascending = np.sort(gain, axis=-2)
        powers, sums = np.cumsum(ascending, axis=-2), np.cumsum(np.sqrt(ascending), axis=-2)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(sums > 0, (0.5 / self.snr + powers) / sums, np.inf)
        return found.min(axis=-2)

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """p = √(|p|²)·conj(h)/|h|. Shape [..., workers, subcarriers], complex."""
        gain = power_gain(h)
        turned = np.divide(h.conj(), np.sqrt(gain), out=np.zeros(np.shape(h), complex), where=gain > 0)
        return np.sqrt(self.power(gain)) * turned

    def power(self, gain: np.ndarray) -> np.ndarray:
        """|p|² = min(1, η/|h|²), 0 at a gain of 0. Shape [..., workers, subcarriers]."""
        level = np.square(self.denoising(gain))[..., None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gain > 0, np.minimum(1.0, level / gain), 0.0).astype(gain.dtype)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """h·p = min(|h|, √η), before the division. Shape [..., workers, subcarriers]."""
        return np.minimum(np.sqrt(gain), self.denoising(gain)[..., None, :]).astype(gain.dtype)

    def counted(self, mean: np.ndarray) -> np.ndarray:
        """1: full power in the mean over an upload's elements, were all subcarriers as bad. Shape of mean."""
        return np.ones_like(mean)

    def error(self, gain: np.ndarray) -> np.ndarray:
        """The mean squared error of the sum, over that of a symbol. Shape [..., subcarriers]."""
        level = self.denoising(gain)
        missing = np.minimum(np.sqrt(gain) / level[..., None, :], 1.0) - 1.0
        return np.square(missing).sum(axis=-2) + 0.5 / self.snr / np.square(level)
