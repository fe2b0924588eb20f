"""Truncated channel inversion: silent in deep fades, scaled to the upload or once and for all."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from channels.combining import Combiner, SpeakerCount
from channels.gain import inverse_gain, power_gain
from channels.precoding.protocol import Precoder, inverse, register


@register("truncated_inversion")
@dataclass(frozen=True)
class TruncatedInversion(Precoder):
    """Cancel the fading, p = 1/h, and stay silent in a deep fade, p = 0 where |h| < ε.

    Arguments:
        threshold: ε, the smallest |h| at which a worker transmits.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    threshold: float
    asks: ClassVar[Literal["", "silence", "gains"]] = "silence"

    def __post_init__(self) -> None:
        if not self.threshold >= 0:
            raise ValueError(f"threshold = {self.threshold}: must not be negative")

    @property
    def combiner(self) -> Combiner:
        """The sum over those who spoke stands for that over all."""
        return SpeakerCount()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """p = 1/h, or 0 in a deep fade. Shape [..., workers, subcarriers], complex."""
        return inverse(h, self.active(power_gain(h)), 0.0)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """|p|² = 1/|h|², or 0 in a deep fade. Shape [..., workers, subcarriers]."""
        return np.where(self.active(gain), inverse_gain(gain), np.zeros_like(gain))

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """h·p = 1, or 0 in a deep fade. Shape [..., workers, subcarriers]."""
        return self.active(gain).astype(gain.dtype)

    def active(self, gain: np.ndarray) -> np.ndarray:
        """Who transmits, ε²/|h|² ≤ 1 in the gain's precision; nobody at a gain of 0. Shape of gain, boolean."""
        with np.errstate(invalid="ignore", over="ignore"):
            return inverse_gain(gain) * np.square(np.asarray(self.threshold, gain.dtype)) <= 1


@register("cotaf")
@dataclass(frozen=True)
class CommonInversion(TruncatedInversion):
    """COTAF: channel inversion down to a common gain h_min = ε whatever the fading, x = (h_min/h)·c, at most |c|² for
    whoever speaks, so that a worker keeps to its budget in every upload and the receiver needs no word of how the
    channels are; c is scaled by a schedule of expected norms.

    Source: T. Sery and K. Cohen, "On Analog Gradient Descent Learning over Multiple Access Fading Channels" and, with
    N. Shlezinger and Y. Eldar, "Over-the-Air Federated Learning from Heterogeneous Data": COTAF on fading channels.
    """

    def counted(self, mean: np.ndarray) -> np.ndarray:
        """1/ε², the most that inversion may take. Shape of mean."""
        return np.full_like(mean, 1 / np.square(self.threshold))


@register("compressed")
@dataclass(frozen=True)
class MeasurementInversion(TruncatedInversion):
    """Truncated inversion of random measurements of a sparse contribution, in place of its elements.

    Source: M. M. Amiri and D. Gündüz, "Federated Learning over Wireless Fading Channels", CA-DSGD.
    """


def silent_probability(threshold: float | np.ndarray) -> float | np.ndarray:
    """Probability that truncated inversion is silent on a Rayleigh subcarrier, P(|h| < ε) = 1 − exp(−ε²)."""
    return -np.expm1(-np.square(threshold))
