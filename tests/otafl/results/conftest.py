"""One small study for figures, tables and frames, computed once."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest
import xarray as xr

mpl.use("Agg")

import otafl
from otafl.results.matplotlib_setup import plt

KEYS = {"run.seeds": 3, "run.iterations": 30, "federation.workers": 4, "run.target_loss": 0.5}


@pytest.fixture(scope="session")
def study() -> xr.Dataset:
    methods = ["FedAvg@analog", "A-FADMM", "D-FADMM"]
    return otafl.run("quickstart", KEYS | {"channel.snr_db": [0.0, 20.0], "method": methods})


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")
