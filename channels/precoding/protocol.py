"""Interface of precoders, and their registry."""

from typing import ClassVar, Literal

import numpy as np

from channels.combining import AsReceived, Combiner
from channels.registry import Part, Registry

Told = Literal["", "silence", "gains"]
"""Side information of workers for the server: none, whether each is silent, or |h|² of each."""


class Precoder(Part):
    """Precoder: complex factor p of a worker from its own gain h. Shapes [..., workers, subcarriers].

    A worker transmits p·c for a contribution c."""

    exact: ClassVar[bool] = False
    """True where h·p = 1: with perfect CSI every contribution arrives unchanged."""
    truncates: ClassVar[bool] = False
    """True where a worker is silent in a deep fade."""
    phase_only: ClassVar[bool] = False
    """True where |p| = 1: precoding compensates phases alone."""
    asks: ClassVar[Told] = ""
    """Side information that the precoder's combiner needs."""

    @property
    def combiner(self) -> Combiner:
        """Combiner that turns the received sum into an estimate of the sum over all workers."""
        return AsReceived()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Return the coefficients p from gains h, both complex. Shape of h."""
        raise NotImplementedError

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Return the power per squared symbol |p|² from |h|², in its precision; 0: a silent worker. Shape of gain."""
        raise NotImplementedError

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Return the factor Re{h·p} of a contribution under perfect CSI, from |h|² in its precision. Shape of gain."""
        raise NotImplementedError

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """Return E|p|² over Rayleigh fading, or infinity where it does not exist. Shape of mean.

        Arguments:
            mean: mean square of the gains.
        """
        return np.full_like(mean, np.inf)

    def most_power(self) -> float:
        """Return the largest |p|² over all gains."""
        return np.inf


PRECODERS = Registry("precoder", Precoder)
"""Precoders by name."""
register = PRECODERS.register


def inverse(h: np.ndarray, where: np.ndarray, otherwise: float) -> np.ndarray:
    """Return 1/h where a mask is true, and a constant elsewhere. Shape of h, complex."""
    return np.divide(1.0, h, out=np.full(np.shape(h), otherwise, complex), where=where)
