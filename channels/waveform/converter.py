"""Analog-to-digital converter of the server, and the noise of its steps."""

import functools
import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Converter:
    """Converter of both parts of complex samples, with the uniform steps that are best for normal ones.

    Of a normal signal it leaves the share 1 - ρ, and adds uncorrelated noise of ρ(1 - ρ) of its power. That is taken as
    even over all samples' frequencies; of coarse steps the band has more, 1.9 times its share with 1 bit.

    Arguments:
        bits: bits b of each part; 0: an ideal converter.

    Source: J. Max, "Quantizing for minimum distortion", for ρ.
    """

    bits: int = 0

    def converted(self, samples: np.ndarray) -> np.ndarray:
        """Return samples as converted, after a gain control that knows their mean power."""
        if not self.bits:
            return samples
        step = self.step * np.sqrt(np.mean(np.abs(samples) ** 2) / 2)
        levels = np.floor(np.stack((samples.real, samples.imag), axis=-1) / step) + 0.5
        most = (2**self.bits - 1) / 2
        return (step * np.clip(levels, -most, most)).view(complex)[..., 0]

    @property
    def gain(self) -> float:
        """Factor 1 - ρ on the signal."""
        return 1 - _steps(self.bits)[1] if self.bits else 1.0

    @property
    def distortion(self) -> float:
        """Power ρ(1 - ρ) of the noise over that of the samples."""
        return self.gain * (1 - self.gain)

    @property
    def step(self) -> float:
        """Step over the standard deviation of a part."""
        return _steps(self.bits)[0]


@functools.cache
def _steps(bits: int) -> tuple[float, float]:
    """Return the step of least mean square error ρ for N(0, 1), and ρ."""
    from scipy.optimize import minimize_scalar

    best = minimize_scalar(lambda step: _error(step, bits), bounds=(2.0**-bits, 4 * 2.0**-bits * math.sqrt(bits)))
    return float(best.x), float(best.fun)


def _error(step: float, bits: int) -> float:
    """Return the mean square error of 2^b levels around 0 for N(0, 1)."""
    from scipy.special import ndtr

    edges = step * np.arange(2 ** (bits - 1) + 1.0)
    edges[-1] = np.inf
    levels = step * (np.arange(2 ** (bits - 1)) + 0.5)
    density = np.exp(-(edges**2) / 2) / math.sqrt(2 * math.pi)
    # Over the positive half: E x² - 2·level·E x + level²·P of each cell, times two.
    return float(1 + 2 * np.sum(levels**2 * np.diff(ndtr(edges)) + 2 * levels * np.diff(density)))
