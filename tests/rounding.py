"""Agreement of two programs for one formula, each of which a compiler rounds as its shapes and the processor allow.

Equal bits are asked of one program alone: run twice, resumed, or in another process on the same machine. A run that
stands in another column of its program may be vectorised in another way, so it counts as one of two programs.
"""

import numpy as np
import numpy.typing as npt
import xarray as xr

DOUBLE = 1e-12
"""Tolerance in double precision: some thousand roundings of 1e-16, as in tens of rounds of some unknowns."""
SINGLE = 1e-4
"""Tolerance in single precision: some thousand roundings of 6e-8, as in some rounds of local training."""


def assert_close(found: npt.ArrayLike, expected: npt.ArrayLike, tolerance: float = DOUBLE, name: str = "") -> None:
    """Assert that two arrays of one shape differ by rounding alone, and are NaN or infinite at the same places. The
    tolerance is a share of the largest value, since gaps and residuals are differences of numbers as large."""
    found, expected = np.asarray(found), np.asarray(expected)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * largest, err_msg=name)


def assert_results_close(found: xr.Dataset, expected: xr.Dataset, tolerance: float = DOUBLE) -> None:
    """Assert that two results have the same runs and outcomes, and values that differ by rounding alone."""
    assert set(found) == set(expected)
    assert found.coords.equals(expected.coords)
    for name, values in expected.data_vars.items():
        if values.dtype.kind in "fi":
            assert_close(found[name], values, tolerance, str(name))
        else:
            assert found[name].equals(values)
