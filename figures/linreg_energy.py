"""Figure 3(b) of the A-FADMM paper: loss at a budget of channel uses against SNR."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot

BUDGETS = (1e5, 2e5)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Loss at 100,000 and 200,000 channel uses, both readings of D-FADMM's consensus."""
    fig, ax = plt.subplots(figsize=(3.5, 3.1))
    lines = (data["linreg_energy"], renamed(data["linreg_energy_weighted"], "weighted"))
    first = 0
    for part in lines:
        plot.at_budget(part, "snr_db", "channel_uses", BUDGETS, ax=ax, first=first)
        first += len(BUDGETS) * part.sizes["method"]
    ax.set_ylim(1e-9, 1e2)
    ax.legend(fontsize=6, ncol=2, loc="upper center", bbox_to_anchor=(0.45, 1.3))
    return fig


STUDY = Study(
    title="Linear regression: loss at a budget of channel uses against SNR (figure 3b)",
    scenarios=("linreg_energy", "linreg_energy_weighted"),
    draw=draw,
    caption=(
        "Just enough subcarriers for uploads of one slot: 6 for A-FADMM; for D-FADMM an equal share for every worker, "
        "such that the slowest ends in one slot, anew for every channel, and all of it used. Losses are read at the "
        "last recorded iteration within the budget (every iteration up to 100, then 100 a decade); the axis ends at "
        "1e-9. Mean and standard deviation over 5 seeds. Below 0 dB D-FADMM ends after 8 to 40 iterations, "
        "amid swings of its gap."
    ),
)
