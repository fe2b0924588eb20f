"""Figures 3(a), 3(b) and 4(a) of the A-FADMM paper over four channels."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axes import legend_below, outer_names

CHANNELS = {
    "rayleigh": "Rayleigh",
    "tdl": "TDL-C, 300 ns",
    "umi": "UMi",
    "raytraced": "street canyon",
}
BUDGET = 2e5
SCENARIOS = ("channel_communication", "channel_energy", "channel_networks")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """A row for each figure of the paper, a column for each channel."""
    fig, axes = plt.subplots(3, len(CHANNELS), figsize=(7.2, 6.6), sharex="row", sharey="row")
    slots, energy, networks = (data[name] for name in SCENARIOS)
    for (fading, title), (above, middle, below) in zip(CHANNELS.items(), axes.T, strict=True):
        plot.curves(slots.sel(fading=fading, drop=True), x="time_slots", y="loss", ax=above)
        plot.at_budget(energy.sel(fading=fading, drop=True), "snr_db", "channel_uses", (BUDGET,), ax=middle)
        plot.curves(networks.sel(fading=fading, drop=True), x="time_slots", y="test_accuracy", ax=below)
        above.set_title(title)
        for ax in (above, middle, below):
            ax.get_legend().remove()
    axes[0, 0].set_ylim(1e-6, 1e2)
    axes[1, 0].set_ylim(1e-9, 1e2)
    axes[2, 0].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


STUDY = Study(
    title="The A-FADMM paper's figures 3(a), 3(b) and 4(a) over four channels",
    scenarios=SCENARIOS,
    draw=draw,
    caption="",
)
