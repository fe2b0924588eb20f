"""Phase compensation at constant power."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..receive_scaling import AmplitudeSum, ReceiveScaling
from .precoder import Precoder, Told, register


@register("phase_compensation")
@dataclass(frozen=True)
class PhaseCompensation(Precoder):
    """Phase compensation p = conj(h)/|h| at constant power: contributions arrive weighed by |h|.

    The receiver knows the sum of all |h|. Source: full-power transmission, a rival of X. Cao, G. Zhu, J. Xu and
    K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading Channels". Their receiver minimises the
    error; this one has no bias over workers of equal statistics.
    """

    phase_only: ClassVar[bool] = True
    asks: ClassVar[Told] = "gains"

    @property
    def receive_scaling(self) -> ReceiveScaling:
        """Receive scaling that takes the mean weighed by |h| for the mean, an ``AmplitudeSum``: w = N/Σ_n |h_n|.

        N is the number of workers, and h_n the complex gain of worker n.
        """
        return AmplitudeSum()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the complex factors p on contributions, p = conj(h)/|h|, 0 at a gain of 0. Shape of h, no unit.

        Arguments:
            h: complex gains of the workers. Shape [..., workers, subcarriers].
        """
        magnitude = np.abs(h)
        return np.divide(h.conj(), magnitude, out=np.zeros(np.shape(h), complex), where=magnitude > 0)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = 1, or 0 at a gain of 0. Shape of gain.

        Arguments:
            gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        """
        return (gain > 0).astype(gain.dtype)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return the factor with which a contribution arrives, h·p = |h|. Shape of gain.

        Arguments:
            gain: power gains |h|², linear. Shape [..., workers, subcarriers].
        """
        return np.sqrt(gain)

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """Return the mean power per squared contribution, E|p|² = 1. Shape of mean.

        Arguments:
            mean: mean of |h|² of each worker, of which the shape alone is taken, such as [..., workers, 1].
        """
        return np.ones_like(mean)

    def most_power(self) -> float:
        """Return the largest power per squared contribution, |p|² = 1."""
        return 1.0
