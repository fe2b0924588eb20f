"""Figures of several panels: by the value of a swept key, by study, and by SNR."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.study import renamed
from otafl.results import plot, style
from otafl.results.axis_labels import legend_below, outer_names, sparse

COSTS = ("time_slots", "channel_uses", "energy", "time")
"""Costs of uploads, a row of panels each."""
STATISTICS = {"loss": "median", "test_accuracy": "mean"}
"""Statistic over seeds of each variable."""


def by_value(
    parts: Mapping[str, xr.Dataset], over: str, y: str = "test_accuracy", lowest: float = 0.0, x: str = "iteration"
) -> Figure:
    """Draw a row of panels for each result, with a panel for each value of a swept key; against rounds by default.

    Arguments:
        parts: results by title, datasets over swept keys, seed and iteration.
        over: dimension of the swept key.
        y: name of the variable.
        lowest: lower limit of the axis of a test accuracy, whose upper one is 1.
        x: name of the cost on the horizontal axis.

    Returns:
        The figure.
    """
    values = next(iter(parts.values()))[over].values
    size = (7.0, 0.6 + 1.9 * len(parts))
    fig, axes = plt.subplots(len(parts), len(values), figsize=size, sharey="row", squeeze=False)
    for row, (title, data) in zip(axes, parts.items(), strict=True):
        for ax, value in zip(row, values, strict=True):
            plot.curves(data.sel({over: value}, drop=True).squeeze(_single(data)), x=x, y=y, ax=ax)
            ax.set_title(", ".join(filter(None, (title, style.label(over, value)))))
        if y == "test_accuracy":
            row[0].set_ylim(lowest, 1.0)
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


def by_cost(data: xr.Dataset, over: str, y: str, limits: tuple[float, float]) -> Figure:
    """Draw a row of panels for each cost of uploads, with a panel for each value of a swept key.

    Arguments:
        data: result, dataset over swept keys, seed and iteration.
        over: dimension of the swept key.
        y: name of the variable.
        limits: limits of its axis.

    Returns:
        The figure.
    """
    values = data[over].values
    fig, axes = plt.subplots(
        len(COSTS), len(values), figsize=(7.2, 0.7 + 1.6 * len(COSTS)), sharex="row", sharey=True, squeeze=False
    )
    for row, cost in zip(axes, COSTS, strict=True):
        for ax, value in zip(row, values, strict=True):
            plot.curves(data.sel({over: value}, drop=True), x=cost, y=y, ax=ax, statistic=STATISTICS[y])
            ax.set(xscale="log", ylim=limits)
            sparse(ax)
        outer_names(fig, row[None])
    for ax, value in zip(axes[0], values, strict=True):
        ax.set_title(style.label(over, value))
    legend_below(fig, axes[0, 0])
    return fig


def _single(data: xr.Dataset) -> list[str]:
    """Return the dimension of schemes if a result has one scheme only."""
    return ["scheme"] if data.sizes.get("scheme") == 1 else []


def by_snr(studies: Mapping[str, tuple[xr.Dataset, xr.Dataset]], cost: str) -> Figure:
    """Draw the test accuracy against a cost, with a row for each pair of results, and a column for each SNR.

    Lines of the analog result come first, those of the digital one are thinner.

    Arguments:
        studies: results over an analog and a digital uplink by title, datasets over the SNR [dB] and other swept keys.
        cost: name of the cost, such as "energy".

    Returns:
        The figure.
    """
    first = next(iter(studies.values()))[0]
    ratios = [float(snr) for snr in first["snr_db"].values]
    fig, axes = plt.subplots(len(studies), len(ratios), figsize=(7.2, 4.8), sharey=True, squeeze=False)
    for row, (title, pair) in zip(axes, studies.items(), strict=True):
        for ax, snr in zip(row, ratios, strict=True):
            for place, data in enumerate(pair):
                _named(ax, data.sel(snr_db=snr, drop=True), cost, place)
            ax.set_title(f"{title}, {snr:g} dB")
            ax.set_xscale("log")
            sparse(ax)
    axes[0, 0].set_ylim(0.3, 1.0)
    legend_below(fig, axes[0, 0])
    outer_names(fig, axes)
    return fig


def beside(
    ax: Axes, default: xr.Dataset, other: xr.Dataset, reading: str, x: str = "time_slots", y: str = "loss"
) -> None:
    """Draw the curves of another reading of a paper after those of the default, with its name in their labels.

    Arguments:
        ax: axes to draw on.
        default: result under the default, over methods, seed and iteration.
        other: result under the other reading, over the same dimensions.
        reading: name of the reading.
        x: name of the cost, or "iteration".
        y: name of the variable.
    """
    plot.curves(default, x, y, ax)
    taken = style.distinct_looks([str(name) for name in default["scheme"].values])
    plot.curves(renamed(other, reading), x, y, ax, first=1 + max(taken))


def _named(ax: Axes, data: xr.Dataset, cost: str, place: int) -> None:
    """Draw the curves of one uplink, with its name in the labels."""
    before = len(ax.get_lines())
    plot.curves(data, x=cost, y="test_accuracy", ax=ax)
    own = ax.get_lines()[before:]
    for line in own:
        line.set(linewidth=(1.2, 0.7)[place], label=f"{line.get_label()}, {('analog', 'digital')[place]}")
        if place:
            line.set(linestyle=":", marker="")


def after_and_against_uses(data: xr.Dataset, over: str, at: float, rounds: int) -> Figure:
    """Draw the test accuracy after some rounds against a swept key, and at one of its values against channel uses.

    Arguments:
        data: result, dataset over schemes, the swept key, seed and iteration.
        over: dimension of the swept key.
        at: its value in the second panel.
        rounds: the number of rounds.
    """
    fig, (after, uses) = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    plot.at_budget(data, over, "iteration", (rounds,), "test_accuracy", after)
    plot.curves(data.sel({over: at}, drop=True), "channel_uses", "test_accuracy", ax=uses)
    uses.set_xscale("log")
    after.set_ylim(0.0, 1.0)
    legend_below(fig, uses)
    outer_names(fig, np.array([[after, uses]]))
    return fig


def final(data: xr.Dataset, last: int = 5) -> xr.DataArray:
    """Return the mean test accuracy over the last rounds, 0 to 1. Shape [swept keys, seed].

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        last: number of the rounds.
    """
    return data["test_accuracy"].isel(iteration=slice(-last, None)).mean("iteration")
