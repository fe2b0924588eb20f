"""Truncated channel inversion: workers are silent in deep fades."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..gain import inverse_gain, power_gain
from ..receive_scaling import ReceiveScaling, SpeakerCount
from .precoder import Precoder, Told, inverse, register


@register("truncated_inversion")
@dataclass(frozen=True)
class TruncatedInversion(Precoder):
    """Truncated channel inversion: p = 1/h, and p = 0 in a deep fade, where |h| < ε.

    Arguments:
        inversion_threshold: truncation threshold ε, the smallest |h| at which a worker transmits, linear, no unit.

    Raises:
        ValueError: the threshold is negative.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    inversion_threshold: float = field(
        default=1e-6,
        metadata={
            "description": "truncated inversion: truncation threshold ε on |h|, below which a worker is silent",
            "label": "Inversion threshold ε",
            "symbol": "$\\varepsilon$",
            "gt": 0.0,
            "ge": 1e-12,
            "le": 1e12,
        },
    )
    truncates: ClassVar[bool] = True
    asks: ClassVar[Told] = "silence"

    def __post_init__(self) -> None:
        if not self.inversion_threshold >= 0:
            raise ValueError(f"inversion_threshold = {self.inversion_threshold}: must not be negative")

    @property
    def receive_scaling(self) -> ReceiveScaling:
        """Receive scaling by the number of all workers over that of those who transmit, a ``SpeakerCount``."""
        return SpeakerCount()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the complex factors p on contributions, p = 1/h, or 0 in a deep fade. Shape of h, no unit.

        Arguments:
            h: complex gains of the workers. Shape [..., workers, subcarriers].
        """
        return inverse(h, self.active(power_gain(h)), 0.0)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = 1/|h|², or 0 in a deep fade. Shape of gain.

        Arguments:
            gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        """
        return np.where(self.active(gain), inverse_gain(gain), np.zeros_like(gain))

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return the factor with which a contribution arrives, h·p = 1, or 0 in a deep fade. Shape of gain.

        Arguments:
            gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        """
        return self.active(gain).astype(gain.dtype)

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """Return E[1/|h|²; |h| ≥ ε] = E1(ε²/β)/β of Rayleigh fading with a mean square β. Shape of mean.

        It is the mean power per squared contribution; E1 is the exponential integral, and ε the truncation threshold.

        Arguments:
            mean: mean β of |h|² over fading, linear; 0 gives 0. Any shape, such as [..., workers, 1].
        """
        from scipy.special import exp1

        reached = np.where(mean > 0, mean, 1.0)
        return np.where(mean > 0, exp1(np.square(self.inversion_threshold) / reached) / reached, 0.0)

    def most_power(self) -> float:
        """Return the largest power per squared contribution, |p|² = 1/ε², by the threshold ε; infinite at ε = 0."""
        return float(np.divide(1.0, np.square(self.inversion_threshold))) if self.inversion_threshold else np.inf

    def active(self, gain: np.ndarray) -> np.ndarray:
        """Return a mask of workers that transmit, ε²/|h|² ≤ 1 in the gain's precision; false at a gain of 0.

        Arguments:
            gain: power gains |h|², linear; ε is the truncation threshold. Shape [..., workers, subcarriers].

        Returns:
            Boolean mask. Shape of gain.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            return inverse_gain(gain) * np.square(np.asarray(self.inversion_threshold, gain.dtype)) <= 1
