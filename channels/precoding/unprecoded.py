"""No precoding: workers know nothing of their channels."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains, MeanGains, PowerGains
from .precoder import Precoder, register


@register("unprecoded")
@dataclass(frozen=True)
class Unprecoded(Precoder):
    """Precoder p = 1, for receivers that need no phases: a worker transmits its contribution as it is."""

    by_gains: ClassVar[bool] = False

    def coefficients(self, h: Gains) -> Gains:
        return np.ones(np.shape(h), complex)

    def power(self, gain: PowerGains) -> PowerGains:
        return np.ones_like(gain)

    def mean_power(self, mean: MeanGains) -> MeanGains:
        return np.ones_like(mean)

    def most_power(self) -> float:
        return 1.0
