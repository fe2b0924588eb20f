"""Power gains: the squared magnitude, cast once, and its inverse in the same precision."""

import numpy as np
import pytest

from otafl.channels.gain import inverse_gain, power_gain

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@DTYPES
def test_power_gain_is_the_squared_magnitude(rayleigh, dtype):
    h = rayleigh(5, 40)
    gain = power_gain(h, dtype)
    assert gain.dtype == dtype
    np.testing.assert_allclose(gain, np.abs(h) ** 2, rtol=4 * np.finfo(dtype).eps)


@DTYPES
def test_inverse_stays_in_its_precision_and_is_infinite_at_zero(dtype):
    inverse = inverse_gain(np.array([0.0, 0.3, 4.0], dtype))
    assert inverse.dtype == dtype
    np.testing.assert_array_equal(inverse, [np.inf, dtype(1) / dtype(0.3), 0.25])
