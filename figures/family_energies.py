"""Sums and votes by energy, without channel knowledge, beside coherent sums."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

ROUNDS, SNR_DB = 200, 0.0


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy after 200 rounds against the SNR, and at 0 dB against uses.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["family_energies"]
    fig, (ratios, uses) = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    panels.each_scheme(ratios, result, "snr_db", "iteration", ROUNDS)
    plot.curves(result.sel(snr_db=SNR_DB, drop=True), "channel_uses", "test_accuracy", ax=uses)
    uses.set_xscale("log")
    ratios.set_ylim(0.0, 1.0)
    legend_below(fig, uses)
    outer_names(fig, np.array([[ratios, uses]]))
    return fig


STUDY = Study(
    title="Sums and votes by energy",
    scenarios=("family_energies",),
    draw=draw,
    caption="",
)
