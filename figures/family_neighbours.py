"""Uploads in a cell among six others, against their activity."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

TARGET, ROUNDS = 0.9, 100


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the channel uses to an accuracy of 0.9, and the last accuracy, against the activity of neighbours.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["family_neighbours"]
    fig, (uses, last) = plt.subplots(1, 2, figsize=(7.0, 2.6))
    plot.to_target(result, "activity", "channel_uses", TARGET, "test_accuracy", ax=uses)
    plot.at_budget(result, "activity", "iteration", (ROUNDS,), "test_accuracy", last)
    for ax in (uses, last):
        ax.set_xscale("linear")
    last.set_ylim(0.85, 1.0)
    legend_below(fig, uses)
    return fig


STUDY = Study(
    title="A cell among six others",
    scenarios=("family_neighbours",),
    draw=draw,
    caption=(
        "Channel uses to 0.9 on digits (medians and quartiles) and accuracy after 100 rounds (means and standard "
        "deviations) against the activity of six neighbours, over 5 seeds. Interference costs digital uploads 10 times "
        "the uses at full activity, as each worker's rate is that of its own SINR, and it costs analog FedAvg none. "
        "FedAvg stays at 0.965 and more over the air; A-SFADMM, which sends models, takes 1.2 times the uses at full "
        "activity, and falls from 0.967 to 0.946."
    ),
)
