"""Real power gains of complex channel gains: all that a method or a budget needs of a channel that is inverted."""

import numpy as np
from numpy.typing import DTypeLike


def power_gain(h: np.ndarray, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Power gain |h|², squared in the precision of h and then cast. Shape of h."""
    return np.asarray(h.real**2 + h.imag**2, dtype)


def inverse_gain(gain: np.ndarray) -> np.ndarray:
    """1/|h|² from the gain |h|², in its precision; infinite where the gain is 0. Shape of gain."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / gain
