"""Channel inversion without a limit on its power."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Gains, PowerGains
from ..gain import inverse_gain
from .precoder import Precoder, inverse, register


@register("channel_inversion")
@dataclass(frozen=True)
class ChannelInversion(Precoder):
    """Channel inversion p = 1/h, without a limit on its power.

    A-FADMM contributes c = |h|²θ + μ/ρ with μ = conj(λ)·h, and so transmits x = c/h = conj(h)·θ + μ/(ρh). The model
    fades with the channel, the dual is inverted. At a gain of 0 the coefficient is infinite.
    Source: Elgabli et al., section II-D.
    """

    exact: ClassVar[bool] = True

    def coefficients(self, h: Gains) -> Gains:
        return inverse(h, h != 0, np.inf)

    def power(self, gain: PowerGains) -> PowerGains:
        return inverse_gain(gain)

    def arrival(self, gain: PowerGains) -> PowerGains:
        return np.ones_like(gain)
