"""Figures of several panels: by the value of a swept key, by cost and by SNR, and curves beside others."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otafl.results import plot, style
from otafl.results.axis_labels import legend_below, outer_names, sparse

WIDE = 18
"""Number of characters of a legend's entry from which on two stand in a row below a panel, not three."""
COSTS = ("time_slots", "channel_uses", "energy", "time")
"""Costs of uploads, a row of panels each."""
STATISTICS = {"loss": "median", "test_accuracy": "mean"}
"""Statistic over seeds of each variable."""


def legend_under(ax: Axes) -> None:
    """Put the legend of one of several panels below it, where it hides no curve.

    Arguments:
        ax: axes of the panel, with their names.
    """
    labels = ax.get_legend_handles_labels()[1]
    columns, space = 2 if max(map(len, labels)) > WIDE else 3, 5.0 if ax.get_xlabel() else 3.0
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": space}
    ax.legend(fontsize=6, ncols=columns, **place)


def by_value(
    data: xr.Dataset, over: str, y: str = "test_accuracy", lowest: float = 0.0, x: str = "iteration"
) -> Figure:
    """Return a row of panels of a result, with a panel for each value of a swept key; against rounds by default.

    Arguments:
        data: dataset over swept keys, seed and iteration.
        over: dimension of the swept key.
        y: name of the variable.
        lowest: lower limit of the axis of a test accuracy, whose upper one is 1.
        x: name of the cost on the horizontal axis.
    """
    values = data[over].values
    fig, axes = plt.subplots(1, len(values), figsize=(7.0, 2.5), sharey="row", squeeze=False)
    for ax, value in zip(axes[0], values, strict=True):
        plot.curves(data.sel({over: value}, drop=True), x=x, y=y, ax=ax)
        ax.set_title(style.label(over, value))
    if y == "test_accuracy":
        axes[0, 0].set_ylim(lowest, 1.0)
    return finished(fig, axes)


def by_cost(data: xr.Dataset, over: str, y: str, limits: tuple[float, float]) -> Figure:
    """Return a row of panels for each cost of uploads, with a panel for each value of a swept key.

    Arguments:
        data: result, dataset over swept keys, seed and iteration.
        over: dimension of the swept key.
        y: name of the variable.
        limits: limits of its axis.
    """
    values = data[over].values
    fig, axes = plt.subplots(len(COSTS), len(values), figsize=(7.2, 7.1), sharex="row", sharey=True, squeeze=False)
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


def by_snr(studies: Mapping[str, tuple[xr.Dataset, xr.Dataset]], cost: str) -> Figure:
    """Return panels of test accuracy against a cost, with a row for each pair of results, and a column for each SNR.

    Arguments:
        studies: results over an analog and a digital uplink by title, datasets over the SNR [dB] and other swept keys.
        cost: name of the cost, such as "energy".
    """
    first = next(iter(studies.values()))[0]
    ratios = [float(snr) for snr in first["snr_db"].values]
    fig, axes = plt.subplots(len(studies), len(ratios), figsize=(7.2, 4.8), sharey=True, squeeze=False)
    for row, (title, pair) in zip(axes, studies.items(), strict=True):
        for ax, snr in zip(row, ratios, strict=True):
            for uplink, data in zip(("analog", "digital"), pair, strict=True):
                _of_uplink(ax, data.sel(snr_db=snr, drop=True), cost, uplink)
            ax.set(title=f"{title}, {snr:g} dB", xscale="log")
            sparse(ax)
    axes[0, 0].set_ylim(0.3, 1.0)
    return finished(fig, axes)


def _of_uplink(ax: Axes, data: xr.Dataset, cost: str, uplink: str) -> None:
    """Draw the curves of one uplink, named in the labels; those of a digital one are thin, with hollow markers."""
    before = len(ax.get_lines())
    plot.curves(data, x=cost, y="test_accuracy", ax=ax)
    for line in ax.get_lines()[before:]:
        line.set(linewidth=1.2, label=f"{line.get_label()}, {uplink}")
        if uplink == "digital":
            line.set(linewidth=0.7, linestyle=":", markersize=2.5, markerfacecolor="white")


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


def renamed(data: xr.Dataset, reading: str) -> xr.Dataset:
    """Return a result with the name of a reading of a paper behind each of its schemes, for a legend.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        reading: name of the reading; empty for none.
    """
    if not reading:
        return data
    names = [f"{name}, {reading}" for name in data["scheme"].values.reshape(-1)]
    return data.assign_coords(scheme=(data["scheme"].dims, names) if data["scheme"].dims else names[0])


def short_labels(data: xr.Dataset) -> dict[str, str]:
    """Return texts of a legend by name of a scheme, without what all schemes of a result share."""
    return style.short_names([str(name) for name in data["scheme"].values])


def at_last_round(data: xr.Dataset, over: str, panels: Mapping[str, str], axes: np.ndarray) -> None:
    """Draw variables in the last round against a swept key.

    Arguments:
        data: result, dataset over schemes, the swept key, seed and iteration.
        over: dimension of the swept key.
        panels: titles by name of the variable.
        axes: axes, the first of which are taken.
    """
    last = (int(data["iteration"].max()),)
    for ax, (name, title) in zip(axes, panels.items(), strict=False):
        plot.at_budget(data, over, "iteration", last, y=name, ax=ax, labels=short_labels(data))
        ax.set(title=title, ylabel="")


def after_and_against_uses(data: xr.Dataset, over: str, at: float, rounds: int) -> Figure:
    """Return panels of test accuracy after some rounds against a swept key, and at one of its values against uses.

    Arguments:
        data: result, dataset over schemes, the swept key, seed and iteration.
        over: dimension of the swept key.
        at: its value in the second panel.
        rounds: the number of rounds.
    """
    fig, (after, uses) = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    labels = short_labels(data)
    plot.at_budget(data, over, "iteration", (rounds,), "test_accuracy", after, labels=labels)
    plot.curves(data.sel({over: at}, drop=True), "channel_uses", "test_accuracy", ax=uses, labels=labels)
    uses.set_xscale("log")
    after.set_ylim(0.0, 1.0)
    return finished(fig, np.array([after, uses]), uses)


def finished(fig: Figure, axes: np.ndarray, named: Axes | None = None) -> Figure:
    """Return a figure with names at the outer axes alone, and one legend below.

    Arguments:
        fig: the figure.
        axes: axes of its panels. Shape [rows, columns], or [columns].
        named: panel whose legend it is; None: the first.
    """
    axes = np.atleast_2d(axes)
    legend_below(fig, named or axes[0, 0])
    outer_names(fig, axes)
    return fig
