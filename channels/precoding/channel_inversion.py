"""Channel inversion without a limit on its power."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the complex factors p on contributions, p = 1/h, infinite at a gain of 0. Shape of h, no unit.

        Arguments:
            h: complex gains of the workers. Shape [..., workers, subcarriers].
        """
        return inverse(h, h != 0, np.inf)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = 1/|h|². Shape [..., workers, subcarriers].

        Arguments:
            gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        """
        return inverse_gain(gain)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return the factor with which a contribution arrives, h·p = 1. Shape [..., workers, subcarriers].

        Arguments:
            gain: power gains |h|², of which shape and precision are taken. Shape [..., workers, subcarriers].
        """
        return np.ones_like(gain)
