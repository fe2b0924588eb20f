"""Figures 1 to 3 of Wang et al.: FedDR and FedADMM on synthetic data and images, and the number of participants."""

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from figures.gallery.panels import finished
from figures.gallery.pictures import Results
from figures.gallery.round_panels import ROUND, Panel, drawn, grid, worded

CLIENTS = 30


def wang_synthetic(data: Results) -> Figure:
    """Return accuracy, loss, and the difference of both methods on synthetic data, with a column for each."""
    return _coincidence(data, ("synthetic(0, 0)", "synthetic(0.5, 0.5)", "synthetic(1, 1)"))


def wang_images(data: Results) -> Figure:
    """Return accuracy, loss, and the difference of both methods on images, with a column for each data set."""
    return _coincidence(data, ("MNIST, CNN", "digits, MLP"))


def _coincidence(data: Results, titles: tuple[str, ...]) -> Figure:
    fig, axes = plt.subplots(3, len(titles), figsize=(7.2, 5.6), sharey="row", squeeze=False)
    for column, title, part in zip(axes.T, titles, data.values(), strict=True):
        drawn(column[0], Panel(title, part, limits=(0.0, 1.0), spread="none"))
        drawn(column[1], Panel("", part, "loss", spread="none"))
        _differences(column[2], part)
    return finished(fig, axes)


def _differences(ax: Axes, data: xr.Dataset) -> None:
    """Draw the absolute difference in training loss of each seed, as a share of the loss."""
    fedadmm, feddr = (data["loss"].sel(scheme=name) for name in ("FedADMM-Wang", "FedDR"))
    share = abs(fedadmm - feddr) / fedadmm
    for seed in data["seed"].values:
        ax.plot(data["iteration"], share.sel(seed=seed), color="0.3", linewidth=0.6)
    ax.set(yscale="log", ylim=(1e-8, 1.0), xlabel=ROUND, ylabel="Difference / loss")
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=True))


def wang_participation(data: Results) -> Figure:
    """Return test accuracy and training loss on synthetic(1, 1), with a line for each number of participants."""
    part = data["wang_participation"].squeeze("scheme", drop=True)
    part = worded(part, "participation", lambda share: f"{CLIENTS * share:.0f} of {CLIENTS} clients")
    accuracy = Panel("synthetic(1, 1)", part, limits=(0.0, 1.0), targets=(0.7,))
    return grid([[accuracy, Panel("synthetic(1, 1)", part, "loss", spread="none")]])
