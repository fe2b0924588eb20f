"""Precoder interface, and the precoders by name."""

from typing import ClassVar, Literal

import numpy as np

from channels.combining import AsReceived, Combiner
from channels.registry import Part, Registry

Told = Literal["", "silence", "gains"]
"""Side information of workers: none, who is silent, or |h|² of each."""


class Precoder(Part):
    """Complex factor p of a worker that knows its own gain h and transmits p·c. Shapes [..., workers, subcarriers]."""

    exact: ClassVar[bool] = False
    """True where every contribution arrives whole under perfect knowledge, h·p = 1."""
    truncates: ClassVar[bool] = False
    """True where a worker is silent in a deep fade."""
    phase_only: ClassVar[bool] = False
    """True where only the phase of h matters: every worker that is heard transmits at |p| = 1."""
    asks: ClassVar[Told] = ""
    """Side information that its combiner needs."""

    @property
    def combiner(self) -> Combiner:
        """Weights with which the sum of what arrives estimates the sum over all workers."""
        return AsReceived()

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Coefficients p, complex: the reference."""
        raise NotImplementedError

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Transmit power per squared symbol, |p|², from the gain |h|² and in its precision; 0: the worker is silent."""
        raise NotImplementedError

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Factor with which a contribution arrives under perfect knowledge, Re{h·p}, from |h|² in its precision."""
        raise NotImplementedError

    def mean_power(self, mean: np.ndarray) -> np.ndarray:
        """E|p|² over Rayleigh fading, for gains |h|² of a mean; infinite where it has none. Shape of mean."""
        return np.full_like(mean, np.inf)

    def most_power(self) -> float:
        """Largest |p|² over all gains."""
        return np.inf


PRECODERS = Registry("precoder", Precoder)
"""Precoders by name."""
register = PRECODERS.register


def inverse(h: np.ndarray, where: np.ndarray, otherwise: float) -> np.ndarray:
    """1/h where asked for. Shape of h, complex."""
    return np.divide(1.0, h, out=np.full(np.shape(h), otherwise, complex), where=where)
