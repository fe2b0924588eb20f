"""Uploads in a cell among six others, against their activity."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

TARGET, ROUNDS = 0.9, (100,)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the channel uses to an accuracy of 0.9, and the last accuracy, against the activity of neighbours.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["family_neighbours"]
    fig, (uses, last) = plt.subplots(1, 2, figsize=(7.0, 2.6))
    plot.to_target(result, "activity", "channel_uses", TARGET, "test_accuracy", ax=uses)
    for place, scheme in enumerate(result["scheme"].values):
        plot.at_budget(
            result.sel(scheme=[scheme]), "activity", "iteration", ROUNDS, y="test_accuracy", ax=last, first=place
        )
    for ax in (uses, last):
        ax.set_xscale("linear")
    last.set_ylim(0.85, 1.0)
    legend_below(fig, uses)
    return fig


STUDY = Study(
    title="A cell among six others",
    scenarios=("family_neighbours",),
    draw=draw,
    caption=(""),
)
