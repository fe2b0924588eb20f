"""COTAF with and without its schedule of expected norms, after Sery, Shlezinger, Cohen and Eldar."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

SCENARIOS = ("field_cotaf", "scheme_cotaf")
SCHEDULES = {0.0: "constant norm", 0.5: "schedule"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss of regression against rounds at three SNRs, and test accuracy on digits by the schedule's decay.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, (losses, decays) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    for first, (decay, words) in enumerate(SCHEDULES.items()):
        part = data["field_cotaf"].squeeze("scheme", drop=True).sel(update_norm_decay=decay, drop=True)
        before = len(losses.lines)
        plot.curves(part, "iteration", "loss", ax=losses, first=3 * first, statistic="median", spread="none")
        for line in losses.lines[before:]:
            line.set_label(f"{words}, {line.get_label()}")
    losses.set(title="linear regression", xscale="log", yscale="log", xlabel="Round", ylim=(1e-4, 1e3))
    losses.legend(fontsize=6, loc="lower left")
    plot.curves(data["scheme_cotaf"].squeeze("scheme"), "iteration", "test_accuracy", ax=decays)
    decays.set(title="digits, \N{MINUS SIGN}40 dB, norms as $t^{-a}$", ylim=(0.0, 1.0), xlabel="Round")
    return fig


STUDY = Study(
    title="Sery, Shlezinger, Cohen and Eldar: COTAF with and without its schedule",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Left: loss of linear regression (medians over 3 seeds) at −35, −22 and −8 dB for a received element; right: "
        "test accuracy on digits by the schedule's decay. With a constant norm the loss ends at floors in proportion "
        "to the noise, 119, 5.9 and 0.23; with the schedule at 0.28, 0.017 and 0.0054. On digits at −40 dB a constant "
        "norm ends at 0.845, decays of 0.25 and 0.5 at 0.926 and 0.954."
    ),
)
