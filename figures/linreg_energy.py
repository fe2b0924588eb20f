"""Figure 3(b) of the A-FADMM paper: loss at a budget of channel uses against SNR."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot
from otafl.results.axis_labels import outer_names

BUDGETS = (1e5, 2e5)
PANELS = {
    "each own $f_n$": "linreg_energy",
    "$f$ of all (section V-A)": "linreg_energy_global",
    "global model": "linreg_energy_server",
    "each own $f_n$, uses as printed": "linreg_energy_printed",
}
"""Panels: the loss of local models and that of the global one, with one symbol in a use, and uses as printed."""
WEIGHTED = ("linreg_energy", "linreg_energy_printed")
"""Studies beside which D-FADMM's weighted consensus is shown."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss at 100,000 and 200,000 channel uses against SNR, with three losses and two readings of a use.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(2, 2, figsize=(7.0, 5.4), sharex=True, sharey=True)
    for ax, (title, name) in zip(axes.flat, PANELS.items(), strict=True):
        parts = [data[name], *([renamed(data[f"{name}_weighted"], "weighted")] if name in WEIGHTED else [])]
        first = 0
        for part in parts:
            plot.at_budget(part, "snr_db", "channel_uses", BUDGETS, ax=ax, first=first)
            first += len(BUDGETS) * part.sizes["scheme"]
        ax.set_title(title)
        ax.get_legend().remove()
    axes[0, 0].set_ylim(1e-9, 1e2)
    outer_names(fig, axes)
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=6.5)
    return fig


STUDY = Study(
    title="Linear regression: loss at a budget of channel uses against SNR (figure 3b)",
    scenarios=(*PANELS.values(), *(f"{name}_weighted" for name in WEIGHTED)),
    draw=draw,
    caption=(
        "The band has just enough subcarriers for uploads of one slot: 6 for A-FADMM; D-FADMM gives every worker an "
        "equal share, anew for every channel, such that the slowest ends in one slot. A use is one complex symbol of "
        "energy P·T; as printed, a digital use carries W·T = 15 symbols and an analog one a single one. From 30 to 40 "
        "dB A-FADMM's loss falls by half a decade with own f_n, by a decade with V-A's loss and at the global model; "
        "mean and standard deviation, 5 seeds."
    ),
)
