"""Figure 5(a) of the A-FADMM paper: the penalty ρ."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss against iterations for each penalty ρ, with A-FADMM and two readings of D-FADMM as panels.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.0, 2.5), sharey=True)
    both, weighted = data["linreg_penalty"], data["linreg_penalty_weighted"]
    panels = {
        "A-FADMM": both.sel({"scheme": "A-FADMM"}, drop=True),
        "D-FADMM": both.sel({"scheme": "D-FADMM"}, drop=True),
        "D-FADMM, weighted": weighted.sel({"scheme": "D-FADMM"}, drop=True),
    }
    for ax, (title, part) in zip(axes, panels.items(), strict=True):
        plot.curves(part, x="iteration", ax=ax)
        ax.set_title(title)
        ax.set_ylim(1e-8, 1e2)
        ax.set_ylabel("" if ax is not axes[0] else ax.get_ylabel())
        ax.legend(fontsize=6, loc="lower left")
    return fig


STUDY = Study(
    title="Linear regression: the penalty ρ (figure 5a)",
    scenarios=("linreg_penalty", "linreg_penalty_weighted"),
    draw=draw,
    caption=(
        "Loss against iterations for ρ from 0.05 to 5. Settings are those of figure 3(a), with 5 seeds. For A-FADMM an "
        "iteration is one time slot."
    ),
)
