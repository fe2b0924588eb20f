"""Power gains |h|² of complex channel gains, and their inverses."""

import numpy as np
from numpy.typing import DTypeLike

from .array_types import Gains, PowerGains


def power_gain(h: Gains, dtype: DTypeLike = np.float64) -> PowerGains:
    """Return the power gain |h|², squared in the precision of h and then cast to a real type."""
    return np.asarray(h.real**2 + h.imag**2, dtype)


def inverse_gain(gain: PowerGains) -> PowerGains:
    """Return 1/|h|² in the precision of the power gain |h|²; infinite at a gain of 0."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / gain
