"""Precoding that turns phases back and leaves magnitudes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from channels.combining import AmplitudeSum, Combiner
from channels.precoding.protocol import Precoder, Told, register


@register("phase_compensation")
@dataclass(frozen=True)
class PhaseCompensation(Precoder):
    """p = conj(h)/|h|: everyone speaks at one power and weighs with its |h| in the sum, of which the receiver knows the
    sum.

    Source: full-power transmission, a rival of X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for
    Over-the-Air Computation in Fading Channels"; their receiver minimises the error, this one has no bias over workers
    that are alike.
    """

    phase_only: ClassVar[bool] = True
    asks: ClassVar[Told] = "gains"

    @property
    def combiner(self) -> Combiner:
        """The mean weighed by |h| stands for the mean."""
        return AmplitudeSum()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """p = conj(h)/|h|, 0 at a gain of 0. Shape [..., workers, subcarriers], complex."""
        magnitude = np.abs(h)
        return np.divide(h.conj(), magnitude, out=np.zeros(np.shape(h), complex), where=magnitude > 0)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """|p|² = 1, 0 at a gain of 0. Shape [..., workers, subcarriers]."""
        return (gain > 0).astype(gain.dtype)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """h·p = |h|. Shape [..., workers, subcarriers]."""
        return np.sqrt(gain)

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """E|p|² = 1. Shape of mean."""
        return np.ones_like(mean)

    def most_power(self) -> float:
        """Largest |p|², 1."""
        return 1.0
