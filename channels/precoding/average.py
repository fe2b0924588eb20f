"""Truncated channel inversion under a power constraint that holds on average over fading."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from channels.combining import AsReceived, Combiner
from channels.precoding.protocol import register
from channels.precoding.truncated import TruncatedInversion


@register("average_inversion")
@dataclass(frozen=True)
class AverageInversion(TruncatedInversion):
    """Broadband analog aggregation: x = √ρ0·c/h where |h|² is at least g = ε², ρ0 = P/E1(g) on every subcarrier for
    Rayleigh fading of mean square 1, so that a worker's mean power over fading is P, and that of a moment may be more.

    Source: G. Zhu, Y. Wang and K. Huang, "Broadband Analog Aggregation for Low-Latency Federated Edge Learning",
    equations (9) to (11).
    """

    averages: ClassVar[bool] = True

    def counted(self, mean: np.ndarray) -> np.ndarray:
        """E[1/|h|²; |h|² ≥ g] for each worker. Shape of mean."""
        return mean_inverse_gain(self.threshold, mean)


@register("one_bit")
@dataclass(frozen=True)
class SignInversion(AverageInversion):
    """One-bit aggregation: workers send signs by truncated inversion, with power kept on average over fading, and the
    receiver decides by the sign of the sum, a majority vote, so that it need not know who speaks.

    Source: G. Zhu, Y. Du, D. Gündüz and K. Huang, "One-Bit Over-the-Air Aggregation for Communication-Efficient
    Federated Edge Learning: Design and Convergence Analysis", section II-B.
    """

    asks: ClassVar[Literal["", "silence", "gains"]] = ""

    @property
    def combiner(self) -> Combiner:
        """The sum as it arrives."""
        return AsReceived()


def mean_inverse_gain(threshold: float, mean: np.ndarray) -> np.ndarray:
    """E[1/|h|²; |h| ≥ ε] = E1(ε²/β)/β of Rayleigh fading with a mean square β. Shape of mean."""
    from scipy.special import exp1

    reached = np.where(mean > 0, mean, 1.0)
    return np.where(mean > 0, exp1(np.square(threshold) / reached) / reached, 0.0)
