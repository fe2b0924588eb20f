"""A-SFADMM through changes of channel: by its weights, its penalty, and what workers do after a change."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

DEALT = {"iid": "IID", "two_classes": "two classes"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy on MNIST against rounds, with a panel for each number of workers and each partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["cell_jumps"]
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 4.8), sharex=True, sharey="row")
    for row, workers in zip(axes, result["workers"].values, strict=True):
        for ax, (partition, name) in zip(row, DEALT.items(), strict=True):
            part = result.sel(workers=workers, partition=partition, drop=True)
            plot.curves(part, x="iteration", y="test_accuracy", ax=ax)
            ax.set_title(f"{workers} workers, {name}")
        row[0].set_ylim(0.0 if workers < 100 else 0.6, 1.0)
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


STUDY = Study(
    title="A-SFADMM through changes of channel",
    scenarios=("cell_jumps",),
    draw=draw,
    caption="",
)
