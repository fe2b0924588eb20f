"""One-bit aggregation over AWGN, over fading, and with errors of channel knowledge, beside digital votes."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

SCENARIOS = ("field_obda",)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against rounds and against channel uses.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    (result,) = data.values()
    for ax, cost in zip(axes, ("iteration", "channel_uses"), strict=True):
        plot.curves(result, cost, "test_accuracy", ax=ax)
    axes[1].set_xscale("log")
    axes[0].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0])
    return fig
