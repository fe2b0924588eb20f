"""Truncated channel inversion: workers are silent in deep fades."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains, MeanGains, PowerGains
from ..errors import ParameterError
from ..gain import inverse_gain, power_gain
from ..receive_scaling import ReceiveScaling, SpeakerCount
from ..registry import parameter
from .precoder import Precoder, SideInformation, inverse, register


@register("truncated_inversion")
@dataclass(frozen=True)
class TruncatedInversion(Precoder):
    """Truncated channel inversion: p = 1/h, and p = 0 in a deep fade, where |h| < ε.

    >>> TruncatedInversion(0.5).coefficients(np.array([2j, 0.1]))
    array([0.-0.5j, 0.+0.j ])

    Raises:
        ParameterError: the threshold ε is negative.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    inversion_threshold: float = parameter(
        1e-6,
        "truncated inversion: truncation threshold ε on |h|, below which a worker is silent",
        label="Inversion threshold ε",
        symbol="$\\varepsilon$",
        gt=0.0,
        ge=1e-12,
        le=1e12,
    )
    truncates: ClassVar[bool] = True
    asks: ClassVar[SideInformation] = "silence"

    def __post_init__(self) -> None:
        if not self.inversion_threshold >= 0:
            raise ParameterError("inversion_threshold", self.inversion_threshold, "must not be negative")

    @property
    def receive_scaling(self) -> ReceiveScaling:
        return SpeakerCount()

    def coefficients(self, h: Gains) -> Gains:
        return inverse(h, self.active(power_gain(h)), 0.0)

    def power(self, gain: PowerGains) -> PowerGains:
        return np.where(self.active(gain), inverse_gain(gain), np.zeros_like(gain))

    def arrival(self, gain: PowerGains) -> PowerGains:
        return self.active(gain).astype(gain.dtype)

    def mean_power(self, mean: MeanGains) -> MeanGains:
        from scipy.special import exp1

        reached = np.where(mean > 0, mean, 1.0)
        return np.where(mean > 0, exp1(np.square(self.inversion_threshold) / reached) / reached, 0.0)

    def most_power(self) -> float:
        return float(np.divide(1.0, np.square(self.inversion_threshold))) if self.inversion_threshold else np.inf

    def active(self, gain: PowerGains) -> np.ndarray:
        """Return a mask of workers that transmit, ε²/|h|² ≤ 1 in the gain's precision; false at a gain of 0."""
        with np.errstate(invalid="ignore", over="ignore"):
            return inverse_gain(gain) * np.square(np.asarray(self.inversion_threshold, gain.dtype)) <= 1
