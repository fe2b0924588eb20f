"""Accuracy against the share of hostile workers, over the air and with digital uploads."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

SCENARIOS = ("fails_hostile",)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy after 40 rounds against the share of hostile workers.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, ax = plt.subplots(figsize=(4.6, 3.0))
    plot.at_budget(data["fails_hostile"], "hostile", "iteration", (40,), y="test_accuracy", ax=ax)
    handles, labels = ax.get_legend_handles_labels()
    names = [label.replace("@", ", ", 1) for label in labels]
    ax.legend(handles, names, loc="lower left")
    ax.set(xlabel="Share of hostile workers", ylim=(0.0, 1.0))
    return fig


STUDY = Study(
    title="Hostile workers",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Of 20 workers on digits a share sends three times the negative of its update, at 40 dB; means and standard "
        "deviations over 3 seeds after 40 rounds. With 30% hostile, the sum over the air and the digital mean are at "
        "0.123, one-bit votes at 0.853, the trimmed mean at 0.920, the median at 0.919. With 40%, more than the share "
        "of 0.3 that the trimmed mean cuts, it falls to 0.370, the median has 0.903 and votes 0.815."
    ),
    notes=(
        "The step of a plain sum is scaled by 1 - 4f, where f is the hostile share. With 30% it is -0.2, so the model "
        "moves away."
    ),
)
