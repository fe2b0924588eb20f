"""Figure 3(c) of the A-FADMM paper: channel uses to a target loss against the number of workers."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot

PER_WORKER = 1e-6


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Channel uses to a loss of 1e-4, and to one that grows with the workers as the sum of losses does."""
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    plain = data["linreg_scalability"]
    weighted = renamed(data["linreg_scalability_weighted"], "weighted")
    for ax, scale in ((axes[0], 1.0), (axes[1], 100 / plain["workers"])):
        for first, part in ((0, plain), (2, weighted)):
            scaled = part.assign(loss=part["loss"] * scale)
            plot.to_target(scaled, "workers", "channel_uses", 100 * PER_WORKER, ax=ax, first=first)
        ax.legend(fontsize=6)
    axes[0].set_title("to a loss of $10^{-4}$", fontsize=8)
    axes[1].set_title("to a loss of $10^{-6} N$", fontsize=8)
    axes[1].set_ylabel("")
    return fig


STUDY = Study(
    title="Linear regression: channel uses to a loss of 1e-4 against workers (figure 3c)",
    scenarios=("linreg_scalability", "linreg_scalability_weighted"),
    draw=draw,
    caption=(
        "Left: to a loss of 1e-4 whatever the number of workers, as in the paper. The loss is a sum over workers of "
        "mean losses, so this target becomes stricter per worker as workers are added; right: to the same loss per "
        "worker. 40 dB at a noise density of 1e-9 W/Hz, 10 subcarriers, 20,000 samples dealt out equally; 5 seeds."
    ),
)
