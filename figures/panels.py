"""Test accuracy against rounds, a panel for each method."""

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from otafl import plot


def by_method(data: xr.Dataset, lowest: float = 0.0) -> Figure:
    """A panel for each method of a result, with lines for what else it sweeps and an axis from ``lowest`` to 1."""
    methods = data["method"].values
    fig, axes = plt.subplots(1, len(methods), figsize=(7.0, 2.5), sharey=True)
    for ax, method in zip(axes, methods, strict=True):
        plot.curves(data.sel({"method": method}, drop=True), x="iteration", y="test_accuracy", ax=ax)
        ax.set_title(method, fontsize=8)
        ax.set_ylabel("" if ax is not axes[0] else ax.get_ylabel())
        ax.legend(fontsize=6, loc="lower right", ncol=2)
    axes[0].set_ylim(lowest, 1.0)
    return fig
