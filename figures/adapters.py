"""Low-rank adapters against the whole model: test accuracy against channel uses and against joules."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

SCENARIOS = ("adapters",)
UPLINKS = {"FedAvg@analog": "analog, BAA", "FedAvg@digital": "digital, 8 bits"}
COSTS = ("channel_uses", "energy")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against channel uses and energy, a row for each uplink, a line for each rank.

    Arguments:
        data: result by name of scenario, a dataset over schemes, ranks, seed and iteration.
    """
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 4.6), sharey=True)
    for row, (scheme, words) in zip(axes, UPLINKS.items(), strict=True):
        part = data["adapters"].sel(scheme=scheme, drop=True)
        for ax, cost in zip(row, COSTS, strict=True):
            plot.curves(part, x=cost, y="test_accuracy", ax=ax)
            ax.get_lines()[0].set_label("whole model")
            ax.set(title=words, xscale="log", ylim=(0.87, 0.98))
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


STUDY = Study(
    title="Adapters of low rank",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Test accuracy on MNIST of the whole model (109,184 weights) and of adapters of rank 1, 4 and 16, all from one "
        "pre-trained model; 20 workers, −20 dB, means and standard deviations over 5 seeds. Rank 4 (4,712 numbers) "
        "reaches 0.93 with 4.1 times fewer uses and 4.3 times fewer joules over BAA, 4.0 times fewer of both with 8 "
        "bits, and 5.6 times the rounds. After 100 rounds it gives up 0.033 of accuracy (0.941 against 0.974), rank 16 "
        "0.012 and rank 1 0.063."
    ),
)
