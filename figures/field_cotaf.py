"""COTAF with and without its schedule of expected norms, after Sery, Shlezinger, Cohen and Eldar."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

SCENARIOS = ("scheme_cotaf", "scheme_precoders")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against rounds by the schedule's decay, and after 60 rounds against SNR beside truncation.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, (decays, schemes) = plt.subplots(1, 2, figsize=(7.2, 2.6))
    plot.curves(data["scheme_cotaf"].squeeze("scheme"), "iteration", "test_accuracy", ax=decays)
    decays.set(title="COTAF at \N{MINUS SIGN}40 dB, norms as $t^{-a}$", ylim=(0.0, 1.0))
    rivals = data["scheme_precoders"].squeeze("scheme").sel(uplink_scheme=["truncation", "COTAF"])
    plot.at_budget(rivals, "snr_db", "iteration", (60,), y="test_accuracy", ax=schemes)
    handles, labels = schemes.get_legend_handles_labels()
    schemes.legend(handles, [label.split(",")[0] for label in labels], loc="lower right")
    schemes.set(title="after 60 rounds", ylim=(0.9, 1.0))
    return fig


STUDY = Study(
    title="Sery, Shlezinger, Cohen and Eldar: COTAF with and without its schedule",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Test accuracy of COTAF at −40 dB by the decay of its schedule of expected norms, and after 60 rounds against "
        "SNR beside truncation, whose factor follows each round's largest norm; digits, 20 workers, 3 seeds, mean and "
        "standard deviation. With a constant norm accuracy ends at 0.845, with decays of 0.25 and 0.5 at 0.926 and "
        "0.954. Beside truncation, which reports its factor, the schedule is no gain: 0.954 against 0.963 at −40 dB, "
        "level from −30 dB on."
    ),
)
