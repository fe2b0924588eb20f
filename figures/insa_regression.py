"""Table 2 of the FedADMM-InSa paper, example 1: linear regression."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, worded
from figures.study import Study

WORKERS = 200


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the optimality gap of a linear regression against rounds, with a panel for each method.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    whole, average = (_gap(data[name]) for name in ("insa_regression", "insa_regression_fedavg"))
    average = average.isel(rho=0, drop=True) if "rho" in average.dims else average
    whole = worded(whole, "rho", lambda beta: f"β = {beta:g}")
    parts = {str(name): whole.sel(scheme=name, drop=True) for name in whole["scheme"].values}
    return grid([[Panel(name, part, "loss", (4e-3, 0.4), (0.01,), "log", 0, average) for name, part in parts.items()]])


def _gap(data: xr.Dataset) -> xr.Dataset:
    """Return a result with the mean over workers of the loss in place of its sum."""
    mean = (data["loss"] / WORKERS).assign_attrs(data["loss"].attrs, long_name="Gap to the least mean loss")
    return data.assign(loss=mean)


STUDY = Study(
    title="Song et al.: FedADMM, -In and -InSa, linear regression (table 2, example 1)",
    scenarios=("insa_regression", "insa_regression_fedavg"),
    draw=draw,
    caption=(
        "Optimality gap of the global model, mean over workers; grey: FedAvg. The paper's setting: 40 of 200 clients, "
        "B = 50, learning rate 0.001, at most 20 epochs, 300 rounds, c = 0.01; one seed. The dotted line is the last "
        "digit of the paper's losses, which end at round 300 as here."
    ),
)
