"""Panels of test accuracy against rounds: each seed, their mean, the target, and where a run diverges."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.gallery.panels import legend_under
from otafl.results import style
from otafl.results.axis_labels import legend_below


class Panel(NamedTuple):
    """Panel of a figure.

    Arguments:
        data: a result, dataset over one swept key, seed and iteration.
        target: test accuracy at which a line is drawn, 0 to 1.
        lowest: lower limit of the axis, whose upper one is 1.
    """

    data: xr.Dataset
    target: float
    lowest: float = 0.8


def drawn(panels: Mapping[str, Panel], columns: int = 2, shared: bool = True) -> Figure:
    """Return a figure of panels by title.

    Arguments:
        panels: the panels by title.
        columns: number of panels in a row.
        shared: True for one legend below all, that of the first panel; else each panel has its own.
    """
    rows = -(-len(panels) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(7.0, 0.5 + 2.2 * rows), squeeze=False)
    for ax, (title, panel) in zip(axes.flat, panels.items(), strict=True):
        draw(ax, title, panel)
    for ax in axes[-1]:
        ax.set_xlabel("Round")
    for ax in axes[:, 0]:
        ax.set_ylabel("Test accuracy")
    if shared:
        legend_below(fig, axes[0, 0])
    else:
        for ax in axes.flat:
            legend_under(ax)
    return fig


def draw(ax: Axes, title: str, panel: Panel) -> None:
    """Draw thin lines of seeds, their mean as long as none has diverged, crosses where one does, and the target.

    Arguments:
        ax: axes to draw on.
        title: the title.
        panel: what to draw.
    """
    for label, look, part in style.lines(panel.data, ("seed", "iteration")):
        _line(ax, part, label, look, panel.lowest)
    ax.axhline(panel.target, color="black", linewidth=0.6, linestyle=":")
    ax.set(title=title, ylim=(panel.lowest, 1.0))


def _line(ax: Axes, part: xr.Dataset, label: str, look: style.LineStyle, lowest: float) -> None:
    part = part.dropna("seed", how="all", subset=["test_accuracy"])
    seeds, rounds = part["test_accuracy"].transpose("seed", "iteration").values, part["iteration"].values
    colour = look.line["color"]
    if len(seeds) > 1:
        ax.plot(rounds, seeds.T, color=colour, linewidth=0.4, alpha=0.5)
    ax.plot(rounds, seeds.mean(axis=0), label=label, markevery=max(1, len(rounds) // 6), **look.line)
    for one in seeds[np.isnan(seeds[:, -1])]:
        last = np.flatnonzero(~np.isnan(one))[-1]
        ax.plot(rounds[last], max(one[last], lowest), "x", color=colour, markersize=6, clip_on=False, zorder=5)
