"""Results as long pandas frames, with a row for each recorded iteration of a run."""

from typing import TYPE_CHECKING

import xarray as xr

from otafl.metrics.result_variables import COORDINATES, CURVES
from otafl.results.result_schema import require_dataset

if TYPE_CHECKING:
    import pandas as pd

FIRST = ("scheme", "method")
"""Columns before those of the other swept keys."""


def frame(data: xr.Dataset) -> "pd.DataFrame":
    """Return a result as a long pandas frame, as ``otafl.tidy`` does.

    Raises:
        OtaflError: the argument is no dataset.
    """
    require_dataset(data)
    wide = data.to_dataframe().reset_index()
    keys = [name for name in data.dims if name not in COORDINATES]
    order = [name for name in (*FIRST, *keys, "seed", "iteration", *data.data_vars) if name in wide]
    curves = [name for name in CURVES if name in data]
    return wide.dropna(subset=curves, how="all").reset_index(drop=True).reindex(columns=order)
