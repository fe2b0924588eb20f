"""Figures 3(a), 3(b) and 4(a) of the A-FADMM paper over four channels."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.channels.panels import CHANNELS
from figures.gallery.pictures import Results
from otafl.results import plot
from otafl.results.axis_labels import legend_below

ROWS = (("Loss", "Time slots"), ("Loss at 200,000 uses", "SNR [dB]"), ("Test accuracy", "Time slots"))
LIMITS = (1e-6, 1e2), (1e-6, 1e1), (0.0, 1.0)
BUDGET = 2e5


def channel_claims(data: Results) -> Figure:
    """Return figures 3(a), 3(b) and 4(a) of the A-FADMM paper, a row each, with a column for each channel."""
    fig, axes = plt.subplots(3, len(CHANNELS), figsize=(7.2, 6.6), sharex="row", sharey="row")
    names = "channel_communication", "channel_energy", "channel_networks"
    for (fading, title), column in zip(CHANNELS.items(), axes.T, strict=True):
        slots, energy, networks = (data[name].sel(fading=fading, drop=True) for name in names)
        plot.curves(slots, x="time_slots", y="loss", ax=column[0])
        for place, scheme in enumerate(energy["scheme"].values):
            plot.at_budget(energy.sel(scheme=scheme), "snr_db", "channel_uses", (BUDGET,), ax=column[1], first=place)
        plot.curves(networks, x="time_slots", y="test_accuracy", ax=column[2])
        column[0].set_title(title)
        for ax in column:
            ax.set_ylabel("")
            if legend := ax.get_legend():
                legend.remove()
    for row, (name, unit), limits in zip(axes, ROWS, LIMITS, strict=True):
        row[0].set(ylabel=name, ylim=limits)
        for ax in row:
            ax.set_xlabel(unit)
    legend_below(fig, axes[0, 0])
    axes[2, 1].legend(fontsize=6, loc="lower right")
    return fig
