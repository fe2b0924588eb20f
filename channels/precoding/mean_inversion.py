"""Inversion of mean power gains: workers know the mean of their channels, and neither phases nor fading."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from .precoder import register
from .unprecoded import Unprecoded


@register("mean_inversion")
@dataclass(frozen=True)
class MeanInversion(Unprecoded):
    """Precoder p = 1/√β of a worker with mean power gain β over fading, for receivers that need no phases.

    Energies of all workers then arrive with a mean gain of 1. Where β = 1 nothing is precoded. Mean gains change
    slowly, and are taken as known without a cost.

    Source: H. Chen, Z. Bozorgasl, "Resource-Element Energy Difference for Noncoherent Over-the-Air Federated Learning".

    Arguments:
        mean: mean power gain β of each worker, linear, which ``calibrated`` sets. Shape [..., workers, 1], or a number.
    """

    mean: Any = field(default=1.0, init=False)

    def calibrated(self, mean: np.ndarray | float) -> Self:
        """Return the precoder with the workers' mean power gains.

        Arguments:
            mean: mean of |h|² of each worker over fading, linear. Shape [..., workers, 1], or a number.
        """
        return self.with_numbers({"mean": mean})

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the factors p = 1/√β, complex, no unit. Shape of h.

        Arguments:
            h: complex gains, of which the shape alone is taken. Shape [..., workers, subcarriers].
        """
        return super().coefficients(h) / np.sqrt(self.mean)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = 1/β. Shape of gain.

        Arguments:
            gain: power gains, of which shape and precision are taken. Shape [..., workers, subcarriers].
        """
        return super().power(gain) / np.asarray(self.mean, gain.dtype)

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """Return the mean power per squared contribution, E|p|² = 1/β, which fading does not change. Shape of mean.

        Arguments:
            mean: mean of |h|² of each worker, linear, such as [..., workers, 1].
        """
        return 1 / mean

    def most_power(self) -> float:
        """Return the largest power per squared contribution over all mean gains: it is infinite."""
        return np.inf
