"""Results as long pandas frames."""

from typing import TYPE_CHECKING

from otafl.metrics.result_variables import COORDINATES, CURVES
from otafl.results.result_schema import require_dataset

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def tidy(data: "xr.Dataset") -> "pd.DataFrame":
    """Return a result as a long pandas frame, with a row for each iteration that a run has recorded.

    Returns:
        Frame with the columns ``scheme``, ``method``, swept keys, ``seed``, ``iteration``, and then the variables in
        their units. A variable that a scheme lacks is NaN; so is a test accuracy where it was not read.

    Raises:
        OtaflError: the argument is no dataset.
    """
    require_dataset(data)
    wide = data.to_dataframe().reset_index()
    keys = [name for name in data.dims if name not in COORDINATES]
    columns = ["scheme", "method", *keys, "seed", "iteration", *data.data_vars]
    recorded = wide.dropna(subset=[name for name in CURVES if name in data], how="all").reset_index(drop=True)
    return recorded.reindex(columns=[name for name in columns if name in wide])
