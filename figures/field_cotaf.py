"""COTAF with and without its schedule, as Sery, Shlezinger, Cohen and Eldar compare them."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

SCENARIOS = ("field_cotaf",)
RECEIVED_DB = {-49.8: -35, -36.8: -22, -22.8: -8}
"""SNR of a real element at the receiver [dB], by ``channel.snr_db``."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss against rounds, a panel for each SNR at the receiver, with and without the schedule.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, len(RECEIVED_DB), figsize=(7.2, 2.6), sharey=True)
    (result,) = data.values()
    for ax, (snr_db, received_db) in zip(axes, RECEIVED_DB.items(), strict=True):
        part = result.squeeze("scheme").sel(snr_db=snr_db, drop=True)
        plot.curves(part, "iteration", "loss", ax=ax, statistic="median")
        ax.set(title=f"{received_db:+d} dB received".replace("-", "\N{MINUS SIGN}"), yscale="log")
    legend_below(fig, axes[0])
    return fig
