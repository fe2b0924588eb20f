"""Panels over rounds: a grid of results, each with limits of its own and lines at the targets of its tables."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

ROUND = "Round"


class Panel(NamedTuple):
    """Panel of a figure: curves of one variable against rounds.

    Arguments:
        title: title of the panel.
        data: a result, dataset over at most one swept key, seed and iteration.
        y: name of the variable.
        limits: limits of the vertical axis; None: those of the data.
        targets: values at which a line is drawn, in the variable's unit.
        scale: scale of the vertical axis, "linear" or "log".
        first: number of the first line in the cycles of colours and dashes.
        aside: a result of a method without the swept key, whose mean over seeds is a grey line; None: no line.
        spread: "deviation" for shades of one standard deviation over seeds, "none" for none.
    """

    title: str
    data: xr.Dataset
    y: str = "test_accuracy"
    limits: tuple[float, float] | None = None
    targets: tuple[float, ...] = ()
    scale: str = "linear"
    first: int = 0
    aside: xr.Dataset | None = None
    spread: str = "deviation"


def grid(rows: Sequence[Sequence[Panel]], own_legends: bool = False) -> Figure:
    """Draw panels in rows.

    Arguments:
        rows: panels of each row, equally many.
        own_legends: True for a legend in each panel; else that of the first is below all.

    Returns:
        The figure.
    """
    wide = max(map(len, rows))
    size = (7.2 if wide > 1 else 4.5, 0.5 + 2.0 * len(rows))
    fig, axes = plt.subplots(len(rows), wide, figsize=size, squeeze=False)
    for line, row in zip(axes, rows, strict=True):
        for ax, panel in zip(line, row, strict=True):
            drawn(ax, panel)
            ax.legend(fontsize=6).set_visible(own_legends)
    names = [ax.get_ylabel() for ax in axes.flat]
    outer_names(fig, axes)
    for ax, name, panel in zip(axes.flat, names, (panel for row in rows for panel in row), strict=True):
        if panel.y != rows[0][0].y:
            ax.set_ylabel(name)
    if not own_legends:
        legend_below(fig, axes[0, 0])
    return fig


def drawn(ax: Axes, panel: Panel) -> None:
    """Draw one panel.

    Arguments:
        ax: its axes.
        panel: what it shows.
    """
    plot.curves(panel.data, x="iteration", y=panel.y, ax=ax, first=panel.first, spread=panel.spread)
    if panel.aside is not None:
        mean = panel.aside[panel.y].mean("seed").dropna("iteration")
        name = str(panel.aside["scheme"].item())
        ax.plot(mean["iteration"], mean, color="0.45", linewidth=2.0, alpha=0.6, zorder=1, label=name)
    for target in panel.targets:
        ax.axhline(target, color="black", linewidth=0.6, linestyle=":")
    settings: dict[str, Any] = {"title": panel.title, "xlabel": ROUND, "yscale": panel.scale, "xscale": "linear"}
    ax.set(**settings)
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=True))
    if panel.limits:
        ax.set_ylim(panel.limits)


def worded(data: xr.Dataset, dim: str, words: Callable[[Any], str]) -> xr.Dataset:
    """Return a result with words in place of the values of a swept key, for a legend.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        dim: dimension of the swept key.
        words: function of a value of the key that returns its words.
    """
    return data.assign_coords({dim: np.array([words(value) for value in data[dim].values])})


def without(data: xr.Dataset, *schemes: str) -> xr.Dataset:
    """Return a result without some of its methods.

    Arguments:
        data: a result, dataset over schemes and other swept keys, seed and iteration.
        schemes: names of the methods to leave out.
    """
    return data.sel(scheme=[name for name in data["scheme"].values if name not in schemes])
