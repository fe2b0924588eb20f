"""Phase compensation at constant power."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains, MeanGains, PowerGains
from ..receive_scaling import AmplitudeSum, ReceiveScaling
from .precoder import Precoder, SideInformation, register


@register("phase_compensation")
@dataclass(frozen=True)
class PhaseCompensation(Precoder):
    """Phase compensation p = conj(h)/|h| at constant power: contributions arrive weighed by |h|.

    At a gain of 0 the factor is 0. The receiver knows the sum of all |h|. Source: full-power transmission, a baseline
    of X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading Channels".
    Their receiver minimises the error; this one has no bias over workers of equal statistics.
    """

    phase_only: ClassVar[bool] = True
    asks: ClassVar[SideInformation] = "gains"

    @property
    def receive_scaling(self) -> ReceiveScaling:
        return AmplitudeSum()

    def coefficients(self, h: Gains) -> Gains:
        magnitude = np.abs(h)
        return np.divide(h.conj(), magnitude, out=np.zeros(np.shape(h), complex), where=magnitude > 0)

    def power(self, gain: PowerGains) -> PowerGains:
        return (gain > 0).astype(gain.dtype)

    def arrival(self, gain: PowerGains) -> PowerGains:
        return np.sqrt(gain)

    def mean_power(self, mean: MeanGains) -> MeanGains:
        return np.ones_like(mean)

    def most_power(self) -> float:
        return 1.0
