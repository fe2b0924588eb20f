"""Figures 2 and 3 of the FedADMM-InSa paper: adaptive penalties, and the local work."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

ROWS = {"example 1": "insa_regression_insa", "example 2, MNIST": "insa_mnist_adaptive"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw FedADMM-InSa's mean penalty and local epochs against rounds, with a line for each first penalty.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(len(ROWS), 2, figsize=(7.0, 2.2 * len(ROWS) + 0.4), squeeze=False)
    for row, (title, name) in zip(axes, ROWS.items(), strict=True):
        part = data[name]
        part = part.sel({"scheme": "FedADMM-InSa"}, drop=True) if "scheme" in part.dims else part
        for ax, y in zip(row, ("penalty", "local_epochs"), strict=True):
            plot.curves(part, x="iteration", y=y, ax=ax)
            ax.set_title(title)
            ax.legend(fontsize=6)
        row[0].set_yscale("log")
        row[1].set_yscale("linear")
    return fig


STUDY = Study(
    title="Song et al.: how FedADMM-InSa adapts its penalties, and the work that is left (figures 2, 3)",
    scenarios=tuple(ROWS.values()),
    draw=draw,
    caption=(
        "Mean over workers of the penalty, and of the epochs in the round's local training, of at most 20; one seed. "
        "Above: linear regression of table 2, example 1. Below: MNIST with at most two labels each, an MLP in place of "
        "the paper's CNN. Penalties come together from starts a hundred times apart: to between 2.6 and 4.0 above, to "
        "0.67 to 0.76 below. On MNIST FedADMM-InSa leaves out 55 to 70% of the epochs. Above it does all 20, or "
        "nearly, from round 150 on."
    ),
)
