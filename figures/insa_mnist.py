"""Table 2 of the FedADMM-InSa paper, example 2: penalties and the local work with each."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, worded
from figures.study import Study

METHODS = ("FedADMM", "FedADMM-In", "FedADMM-InSa")
PARTS = {"MNIST": ("insa_mnist_300", (0.8, 1.0)), "digits": ("insa_mnist_small", (0.0, 1.0))}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by penalty against rounds, with a panel for each method and data set.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return grid([_row(title, data[name], limits) for title, (name, limits) in PARTS.items()])


def _row(title: str, data: xr.Dataset, limits: tuple[float, float]) -> list[Panel]:
    data = worded(data, "rho", lambda beta: f"β = {beta:g}")
    average = data.sel(scheme="FedAvg").isel(rho=0, drop=True)
    parts = {name: data.sel(scheme=name, drop=True) for name in METHODS}
    return [Panel(f"{title}, {name}", part, limits=limits, aside=average) for name, part in parts.items()]


STUDY = Study(
    title="Song et al.: FedADMM, -In and -InSa against the penalty (table 2, example 2; figure 5)",
    scenarios=tuple(name for name, _ in PARTS.values()),
    draw=draw,
    caption=(
        "Clients have at most two labels each and at most 20 local epochs; grey: FedAvg, which has no β. Above: MNIST "
        "with the MLP of 109,184 weights in place of the paper's CNN, 40 of 200 clients, learning rate 0.01, B = 50, "
        "one seed, 300 rounds. Below: embedded digits, 5 of 20 clients, 3 seeds, mean and one standard deviation."
    ),
)
