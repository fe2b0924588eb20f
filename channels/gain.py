"""Power gains |h|² of complex channel gains, and their inverses."""

import numpy as np
from numpy.typing import DTypeLike


def power_gain(h: np.ndarray, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Return the power gain |h|², linear, squared in the precision of h and then cast to ``dtype``. Shape of h.

    Arguments:
        h: complex gains, factors on amplitudes (not in dB). Any shape.
        dtype: real precision of the result.
    """
    return np.asarray(h.real**2 + h.imag**2, dtype)


def inverse_gain(gain: np.ndarray) -> np.ndarray:
    """Return 1/|h|² from the power gain |h|², in its precision; infinite at a gain of 0. Shape of gain.

    Arguments:
        gain: power gains |h|² of complex gains h, linear. Any shape.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / gain
