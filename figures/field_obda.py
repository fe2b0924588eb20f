"""One-bit aggregation over fading, with errors of phase, and beside digital votes, after Zhu, Du, Gündüz and Huang."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

SCENARIOS = ("field_obda", "family_votes")
SHOWN = ["FedSGD@analog OBDA", "FedSGD@digital signSGD-MV"]


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against rounds by channel and its estimate, and after 200 rounds against errors of phase.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, (noise, phase) = plt.subplots(1, 2, figsize=(7.2, 3.0), sharey=True)
    plot.curves(data["field_obda"], "iteration", "test_accuracy", ax=noise)
    handles, labels = noise.get_legend_handles_labels()
    noise.legend(handles, [label.split("@")[1] for label in labels], loc="lower right", fontsize=6)
    noise.set(title="by channel, \N{MINUS SIGN}30 dB", ylim=(0.0, 1.0), xlabel="Round")
    errors = data["family_votes"].sel(scheme=SHOWN)
    plot.at_budget(errors, "phase_error_rad", "iteration", (200,), y="test_accuracy", ax=phase)
    handles, labels = phase.get_legend_handles_labels()
    phase.legend(handles, [label.split("@")[1] for label in labels], loc="lower left")
    phase.set(title="errors of phase, \N{MINUS SIGN}20 dB", ylabel="")
    return fig


STUDY = Study(
    title="Zhu, Du, Gündüz and Huang: one-bit aggregation",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Test accuracy of FedSGD by one vote an element, digits, 20 workers. Left, over AWGN, fading, with estimated "
        "gains, and digital votes at −20 dB (3 seeds): after 100 rounds 0.937 to 0.943, at 0.24 to 0.29 million uses, "
        "digital at 43 million, but errors of variance 1 are behind after 20 rounds (0.684 against 0.767 over AWGN). "
        "Right, against errors of phase after 200 rounds (5 seeds): 0.960 without, 0.955 at 1.5 rad, and then 0.856 at "
        "2 rad and 0.236 at 3.1 rad."
    ),
)
