"""Figures 3(a), 3(b) and 4(a) of the A-FADMM paper over four channels."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.channel_panels import CHANNELS
from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

ROWS = (
    ("Loss", "Time slots"),
    ("Loss at 200,000 uses", "SNR [dB]"),
    ("Test accuracy", "Time slots"),
)
BUDGET = 2e5
SCENARIOS = ("channel_communication", "channel_energy", "channel_networks")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw figures 3(a), 3(b) and 4(a) of the A-FADMM paper, a row each, with a column for each channel.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(3, len(CHANNELS), figsize=(7.2, 6.6), sharex="row", sharey="row")
    slots, energy, networks = (data[name] for name in SCENARIOS)
    for (fading, title), (above, middle, below) in zip(CHANNELS.items(), axes.T, strict=True):
        plot.curves(slots.sel(fading=fading, drop=True), x="time_slots", y="loss", ax=above)
        for place, scheme in enumerate(energy["scheme"].values):
            part = energy.sel(fading=fading, drop=True).sel({"scheme": scheme})
            plot.at_budget(part, "snr_db", "channel_uses", (BUDGET,), ax=middle, first=place)
        plot.curves(networks.sel(fading=fading, drop=True), x="time_slots", y="test_accuracy", ax=below)
        above.set_title(title)
        for ax in (above, middle, below):
            ax.set_ylabel("")
            if legend := ax.get_legend():
                legend.remove()
    for row, (name, unit) in zip(axes, ROWS, strict=True):
        row[0].set_ylabel(name)
        for ax in row:
            ax.set_xlabel(unit)
    axes[0, 0].set_ylim(1e-6, 1e2)
    axes[1, 0].set_ylim(1e-6, 1e1)
    axes[2, 0].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0, 0])
    axes[2, 1].legend(fontsize=6, loc="lower right")
    return fig


STUDY = Study(
    title="The A-FADMM paper's figures 3(a), 3(b) and 4(a) over four channels",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Above: linear regression with 100 workers at 40 dB; middle: losses at 200,000 channel uses, uploads in one "
        "slot; below: test accuracy on MNIST by stochastic methods. TDL-C has 300 ns and walking workers; UMi and the "
        "ray-traced canyon have no places beyond 120 dB of loss, and the SNR at the median gain. Means with standard "
        "deviations of 3 seeds; over UMi and in the canyon an upload of D-FADMM exceeds the budget at 0 dB and below, "
        "and has no point."
    ),
)
