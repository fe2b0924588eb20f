"""No precoding: workers know nothing of their channels."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .precoder import Precoder, register


@register("unprecoded")
@dataclass(frozen=True)
class Unprecoded(Precoder):
    """Precoder p = 1, for receivers that need no phases: a worker transmits its contribution as it is."""

    by_gains: ClassVar[bool] = False

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, a receiver of sums, which needs their phases; else empty.

        Arguments:
            chain: the run's ``Chain``, whose field ``receiver`` counts.
            settings: unused.
            method: unused.
        """
        return "" if chain.receiver.non_coherent else "leaves random phases, in which contributions cancel each other"

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the factors p = 1, complex, no unit. Shape of h.

        Arguments:
            h: complex gains, of which the shape alone is taken. Shape [..., workers, subcarriers].
        """
        return np.ones(np.shape(h), complex)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared contribution, |p|² = 1. Shape of gain.

        Arguments:
            gain: power gains, of which the shape alone is taken. Shape [..., workers, subcarriers].
        """
        return np.ones_like(gain)

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """Return the mean power per squared contribution, E|p|² = 1. Shape of mean.

        Arguments:
            mean: mean of |h|² of each worker, of which the shape alone is taken, such as [..., workers, 1].
        """
        return np.ones_like(mean)

    def most_power(self) -> float:
        """Return the largest power per squared contribution, |p|² = 1."""
        return 1.0
