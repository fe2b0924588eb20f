"""Loss of A-FADMM in a cell by both exponents of its weights."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

ITERATIONS = 2000.0


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss after 2,000 iterations against the weight exponent, with a panel for each SNR.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["cell_floor"].squeeze("scheme", drop=True)
    fig, axes = plt.subplots(1, result.sizes["snr_db"], figsize=(7.2, 2.8), sharey=True)
    for snr_db, ax in zip(result["snr_db"].values, axes, strict=True):
        part = result.sel(snr_db=snr_db, drop=True)
        plot.at_budget(part, "weight_exponent", "iteration", (ITERATIONS,), ax=ax, statistic="median")
        ax.set(title=f"{snr_db:g} dB", ylim=(1e-5, 1e1))
    legend_below(fig, axes[0])
    outer_names(fig, axes[None])
    return fig


NOTES = """The best weights go with the root of the mean gain, β^0.5. Larger powers of β leave faraway workers without
weight, smaller ones without power.

With p = 0 and κ = 1 all workers invert their whole path loss, and the loss grows without bound at 20 dB."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="A-FADMM in a UMi cell, by both exponents of its weights",
    scenarios=("cell_floor",),
    draw=draw,
    caption=(
        "Loss of A-FADMM after 2,000 iterations over UMi against the exponent p of |h|, for exponents κ of path loss "
        "compensation. The settings are as above, at the SNR of each panel; median and quartiles over 5 seeds. Choices "
        "with p = 2κ + 1 are the best and nearly alike: p = 1 without compensation, 1.5 with κ = 0.25, 2 with κ = 0.5."
    ),
    notes=NOTES,
)
