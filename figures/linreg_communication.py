"""Figure 3(a) of the A-FADMM paper: loss against time slots."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss against time slots, with both readings of D-FADMM's consensus.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, ax = plt.subplots()
    plain = data["linreg_communication"].drop_sel({"scheme": "D-GD"})
    plot.curves(plain, ax=ax)
    plot.curves(renamed(data["linreg_communication_weighted"], "weighted"), ax=ax, first=plain.sizes["scheme"])
    ax.axhline(1e-4, color="k", linewidth=0.5)
    ax.set_ylim(1e-8, 1e2)
    ax.set_xlim(right=3e4)
    ax.legend(loc="lower left", fontsize=5.5)
    return fig


STUDY = Study(
    title="Linear regression: loss against time slots (figure 3a)",
    scenarios=("linreg_communication", "linreg_communication_weighted"),
    draw=draw,
    caption=(
        "Settings: California housing, 100 workers, 10 subcarriers, 40 dB, ρ = 0.5, a new Rayleigh channel every 10 "
        "iterations. Lines are mean and standard deviation over 5 seeds at equal time. D-FADMM has plain consensus, "
        "(3) to (5), or consensus weighted by the channel, (9) to (11). A-GD-10x would be the same line as A-GD: 6 "
        "elements fit in one slot. D-GD is left out."
    ),
)
