"""Figure 2 of the FedADMM paper of Wang et al.: FedDR and FedADMM on synthetic(alpha, beta)."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from figures.round_panels import ROUND, Panel, drawn
from figures.study import Study
from otafl.results.axis_labels import legend_below, outer_names

PANELS = {
    "synthetic(0, 0)": "wang_synthetic_0",
    "synthetic(0.5, 0.5)": "wang_synthetic_0_5",
    "synthetic(1, 1)": "wang_synthetic_1",
}


def draw(data: Mapping[str, xr.Dataset], panels: Mapping[str, str] = PANELS) -> Figure:
    """Draw test accuracy, training loss, and the difference in loss of FedDR and FedADMM, with a column for each data.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
        panels: name of the scenario by title of its column.
    """
    fig, axes = plt.subplots(3, len(panels), figsize=(7.2, 5.6), sharey="row", squeeze=False)
    for column, (title, name) in zip(axes.T, panels.items(), strict=True):
        drawn(column[0], Panel(title, data[name], limits=(0.0, 1.0), spread="none"))
        drawn(column[1], Panel("", data[name], "loss", spread="none"))
        _differences(column[2], data[name])
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


def _differences(ax: Axes, data: xr.Dataset) -> None:
    """Draw the absolute difference in training loss of each seed, as a share of the loss."""
    one, other = (data["loss"].sel(scheme=name) for name in ("FedADMM-Wang", "FedDR"))
    for seed in data["seed"].values:
        ax.plot(data["iteration"], abs(one - other).sel(seed=seed) / one.sel(seed=seed), color="0.3", linewidth=0.6)
    ax.set(yscale="log", ylim=(1e-8, 1.0), xlabel=ROUND, ylabel="Difference / loss")
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=True))


STUDY = Study(
    title="Wang et al.: FedDR and FedADMM coincide (figure 2)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "Test accuracy and training loss (mean over seeds), and the difference of the two methods in training loss, a "
        "line for each of 3 seeds. The 60-32-10 network, 10 of 30 clients, 300 local steps of batch 2, learning rate "
        "0.01, η = 1. They differ by what single precision rounds, which training carries on."
    ),
)
