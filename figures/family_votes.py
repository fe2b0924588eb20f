"""Majority votes with and without knowledge of channels, against phase errors."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

ROUNDS = 200


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy after 200 rounds against the phase error of workers, and without errors against uses.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    result = data["family_votes"]
    fig, (errors, uses) = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    panels.each_scheme(errors, result, "phase_error_rad", "iteration", ROUNDS)
    plot.curves(result.sel(phase_error_rad=0.0, drop=True), "channel_uses", "test_accuracy", ax=uses)
    errors.set_ylim(0.0, 1.0)
    legend_below(fig, uses)
    outer_names(fig, np.array([[errors, uses]]))
    return fig


STUDY = Study(
    title="Majority votes with and without channel knowledge",
    scenarios=("family_votes",),
    draw=draw,
    caption=(
        "Test accuracy of FedSGD on digits by one vote an element, after 200 rounds against errors of phase, and "
        "without errors against uses; mean and standard deviation, 5 seeds. Votes by energy (FSK-MV), which need no "
        "channel knowledge, stay between 0.942 and 0.949, where OBDA falls to 0.86 at 2 rad and to 0.24 at 3.1 rad. To "
        "0.9 they take 4 times OBDA's uses and energy (absentees, t = 0.5, save more than half of the latter), and "
        "0.38 million uses where digital votes take 12 million."
    ),
)
