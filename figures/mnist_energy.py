"""Figure 4(b) of the A-FADMM paper: test accuracy at a budget of channel uses against SNR."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

BUDGETS = (3e7, 6e7)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy at 30 and 60 million channel uses against SNR [dB].

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, ax = plt.subplots(figsize=(3.5, 2.9))
    for first, part in enumerate(data.values()):
        plot.at_budget(
            part.expand_dims("scheme"), "snr_db", "channel_uses", BUDGETS, y="test_accuracy", ax=ax, first=2 * first
        )
    for line, shade in zip(ax.get_lines()[: len(BUDGETS)], ax.collections[: len(BUDGETS)], strict=True):
        line.set_linestyle("none")  # two SNRs were run
        shade.remove()
    ax.set_ylim(0.75, 1.0)
    legend_below(fig, ax)
    return fig


STUDY = Study(
    title="MNIST: test accuracy at a budget of channel uses against SNR (figure 4b)",
    scenarios=("mnist_energy_analog", "mnist_energy_digital"),
    draw=draw,
    caption=(
        "Test accuracy on MNIST at two budgets of channel uses against SNR. The settings are those of figure 4(a), "
        "with 2 seeds; a use is one complex symbol on either uplink. Within the budgets A-SFADMM completes 274 and 549 "
        "rounds; D-SFADMM completes two at most, and none at -10 and 0 dB."
    ),
)
