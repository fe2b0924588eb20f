"""Inversion of mean power gains: workers know the mean of their channels, and neither phases nor fading."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from ..array_types import Gains, MeanGains, PowerGains
from .precoder import register
from .unprecoded import Unprecoded


@register("mean_inversion")
@dataclass(frozen=True)
class MeanInversion(Unprecoded):
    """Precoder p = 1/√β of a worker with mean power gain β over fading, for receivers that need no phases.

    Energies of all workers then arrive with a mean gain of 1. Mean gains are taken as known without a cost. Source: H.
    Chen, Z. Bozorgasl, "Resource-Element Energy Difference for Noncoherent Over-the-Air Federated Learning".
    """

    mean: MeanGains | float = field(default=1.0, init=False)

    def calibrated(self, mean: MeanGains | float) -> Self:
        return self.with_numbers({"mean": mean})

    def coefficients(self, h: Gains) -> Gains:
        return super().coefficients(h) / np.sqrt(self.mean)

    def power(self, gain: PowerGains) -> PowerGains:
        return super().power(gain) / np.asarray(self.mean, gain.dtype)

    def mean_power(self, mean: MeanGains) -> MeanGains:
        return 1 / mean

    def most_power(self) -> float:
        return np.inf
