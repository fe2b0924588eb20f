"""Precoding: the complex coefficient p by which a worker multiplies a contribution c, so that it transmits x = p·c."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from channels.gain import inverse_gain, power_gain


class Precoder(Protocol):
    """What a worker does with a contribution, knowing its own gain h. Shapes [..., workers, subcarriers]."""

    exact: ClassVar[bool]
    """True where every contribution arrives whole under perfect knowledge, h·p = 1."""

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """Coefficients p, complex: the reference."""
        ...

    def power(self, gain: np.ndarray) -> np.ndarray:
        """Transmit power per squared symbol, |p|², from the gain |h|² and in its precision; 0: the worker is silent."""
        ...

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """Factor with which a contribution arrives under perfect knowledge, Re{h·p}, from |h|² in its precision."""
        ...


@dataclass(frozen=True)
class ChannelInversion:
    """Cancel the fading, p = 1/h, at whatever power that takes.

    A-FADMM contributes c = |h|²θ + μ/ρ with μ = conj(λ)·h, and so transmits x = c/h = conj(h)·θ + μ/(ρh): the model
    fades with the channel, the dual is inverted by it. At a gain of 0 the coefficient is infinite.
    Source: Elgabli et al., section II-D.
    """

    exact: ClassVar[bool] = True

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """p = 1/h. Shape [..., workers, subcarriers], complex."""
        return _inverse(h, h != 0, np.inf)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """|p|² = 1/|h|². Shape [..., workers, subcarriers]."""
        return inverse_gain(gain)

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """h·p = 1. Shape [..., workers, subcarriers]."""
        return np.ones_like(gain)


@dataclass(frozen=True)
class TruncatedInversion:
    """Cancel the fading, p = 1/h, and stay silent in a deep fade, p = 0 where |h| < ε.

    Arguments:
        threshold: ε, the smallest |h| at which a worker transmits.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    threshold: float
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self.threshold >= 0:
            raise ValueError(f"threshold = {self.threshold}: must not be negative")

    def coefficients(self, h: np.ndarray) -> np.ndarray:
        """p = 1/h, or 0 in a deep fade. Shape [..., workers, subcarriers], complex."""
        return _inverse(h, self.active(power_gain(h)), 0.0)

    def power(self, gain: np.ndarray) -> np.ndarray:
        """|p|² = 1/|h|², or 0 in a deep fade. Shape [..., workers, subcarriers]."""
        return np.where(self.active(gain), inverse_gain(gain), np.zeros_like(gain))

    def arrival(self, gain: np.ndarray) -> np.ndarray:
        """h·p = 1, or 0 in a deep fade. Shape [..., workers, subcarriers]."""
        return self.active(gain).astype(gain.dtype)

    def active(self, gain: np.ndarray) -> np.ndarray:
        """Who transmits, ε²/|h|² ≤ 1 in the gain's precision; nobody at a gain of 0. Shape of gain, boolean."""
        with np.errstate(invalid="ignore", over="ignore"):
            return inverse_gain(gain) * np.square(np.asarray(self.threshold, gain.dtype)) <= 1


def silent_probability(threshold: float | np.ndarray) -> float | np.ndarray:
    """Probability that truncated inversion is silent on a Rayleigh subcarrier, P(|h| < ε) = 1 − exp(−ε²)."""
    return -np.expm1(-np.square(threshold))


def _inverse(h: np.ndarray, where: np.ndarray, otherwise: float) -> np.ndarray:
    """1/h where asked for."""
    return np.divide(1.0, h, out=np.full(np.shape(h), otherwise, complex), where=where)
