"""Figures 2, 3 and 5 of the FedADMM-InSa paper: adaptive penalties, and the local work."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, worded
from figures.study import Study

ROWS = {"example 1": "insa_regression_insa", "example 2, MNIST": "insa_mnist_adaptive"}
MOST_EPOCHS = 20


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw FedADMM-InSa's mean penalty and local epochs against rounds, with a line for each first penalty.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return grid([_row(title, data[name]) for title, name in ROWS.items()])


def _row(title: str, data: xr.Dataset) -> list[Panel]:
    part = data.sel(scheme="FedADMM-InSa", drop=True) if "scheme" in data.dims else data
    part = worded(part, "rho", lambda beta: f"first β = {beta:g}")
    part["penalty"] = part["penalty"].assign_attrs(long_name="Mean penalty β of the workers")
    penalty = Panel(title, part, "penalty", scale="log")
    return [penalty, Panel(title, part, "local_epochs", (0.0, MOST_EPOCHS + 1.0), (MOST_EPOCHS,))]


STUDY = Study(
    title="Song et al.: how FedADMM-InSa adapts its penalties, and the work that is left (figures 2, 3, 5)",
    scenarios=tuple(ROWS.values()),
    draw=draw,
    caption=(
        "Mean over workers of the penalty, and of the epochs in the round's local training; dotted: FedADMM's 20. "
        "Above: linear regression of table 2, example 1. Below: MNIST with at most two labels each, an MLP in place of "
        "the paper's CNN; one seed each."
    ),
)
