"""Figure 3(a) of the A-FADMM paper: loss against time slots."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot
from otafl.results.axis_labels import legend_below

PANELS = {
    "local models, each own $f_n$": "linreg_communication",
    "local models, $f$ of all (section V-A)": "linreg_communication_global",
    "global model": "linreg_communication_server",
}
"""Losses of the panels, and their studies."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss against time slots, with both readings of D-FADMM's consensus, and two other losses beside it.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.0), sharex=True, sharey=True)
    for ax, (title, name) in zip(axes, PANELS.items(), strict=True):
        plot.curves(data[name].drop_sel({"scheme": "D-GD"}, errors="ignore"), ax=ax)
        ax.axhline(1e-4, color="k", linewidth=0.5)
        ax.set_title(title, fontsize=8)
    first = axes[0]
    place = data["linreg_communication"].sizes["scheme"] - 1
    plot.curves(renamed(data["linreg_communication_weighted"], "weighted"), ax=first, first=place)
    first.set(ylim=(1e-8, 1e2), xlim=(0.5, 3e4))
    legend_below(fig, first)
    for ax in axes[1:]:
        ax.set_ylabel("")
    return fig


STUDY = Study(
    title="Linear regression: loss against time slots (figure 3a)",
    scenarios=("linreg_communication", "linreg_communication_weighted", *list(PANELS.values())[1:]),
    draw=draw,
    caption=(
        "Settings: California housing, 100 workers, 10 subcarriers, 40 dB, ρ = 0.5; mean and standard deviation over 5 "
        "seeds at equal time, the target of 1e-4 as a line. Left: the local models' loss, with consensus plain, (3) to "
        "(5), or weighted, (9) to (11); A-GD-10x would be the line of A-GD, as 6 elements fit in one slot. Middle and "
        "right: A-FADMM's noise floor is 3.8e-5 with each worker's own f_n (median), and about 2e-7 with section V-A's "
        "loss or the global model's, which are quadratic in the error."
    ),
)
