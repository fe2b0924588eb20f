"""Edge servers between workers and server."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

ROUNDS = 100


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the last test accuracy, and the channel uses of 100 rounds, against the number of edge servers.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["family_edges"]
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.4))
    for ax, y in zip(axes, ("test_accuracy", "channel_uses"), strict=True):
        plot.at_budget(result, "edges", "iteration", (ROUNDS,), y, ax)
    axes[0].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0])
    return fig


STUDY = Study(
    title="Edge servers between workers and server",
    scenarios=("family_edges",),
    draw=draw,
    caption=(
        "Test accuracy on digits after 100 rounds, and channel uses of all cells, against the number of edge servers; "
        "equal gains to each, −30 dB, mean and standard deviation, 5 seeds. Each edge adds noise of its own: A-SFADMM, "
        "which sends models, falls from 0.49 with one server to 0.12 with ten, FedAvg stays at 0.964 and more. Edge "
        "servers thus bring nothing by themselves, and cost uses in each cell and 8 ms of backhaul a round; they must "
        "shorten the paths."
    ),
)
