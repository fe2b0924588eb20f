"""Panels of a metric against each imperfection of links, and the titles of channels."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otafl.results import axis_labels, style
from otafl.results.plot import LARGEST
from otafl.results.statistics import over_seeds

COLUMNS = 3
CHANNELS = {
    "rayleigh": "Rayleigh",
    "tdl": "TDL-C, 300 ns",
    "umi": "UMi",
    "raytraced": "street canyon",
}
"""Titles of the four channels that claims are held against, by fading model."""
TITLES = {**CHANNELS, "uma": "UMa"}
"""Titles of all channels of such studies, by fading model."""


def titled(data: xr.Dataset) -> xr.Dataset:
    """Return a result over channels with their titles in place of the names of fading models.

    Arguments:
        data: result, dataset over fading and other swept keys, seed and iteration.
    """
    return data.assign_coords(fading=[TITLES[str(name)] for name in data["fading"].values])


class Panel(NamedTuple):
    """Panel that shows a metric against a swept key.

    Arguments:
        title: title of the panel.
        over: dimension of the swept key.
        parts: names of the results that sweep it.
    """

    title: str
    over: str
    parts: tuple[str, ...]


class Measure(NamedTuple):
    """Metric of each run, and the style in which it is drawn.

    Arguments:
        of: function that reads it off a result: from a dataset over swept keys, seed and iteration to an array over
            swept keys and seed.
        statistic: "median" (with quartiles) or "mean" (with the standard deviation) over seeds.
        limits: limits of the axis.
    """

    of: Callable[[xr.Dataset], xr.DataArray]
    statistic: str
    limits: tuple[float, float]


def grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels in rows of three that share the vertical axis.

    Arguments:
        panels: number of panels.

    Returns:
        The figure, and the axes of its panels.
    """
    rows = -(-panels // COLUMNS)
    fig, axes = plt.subplots(rows, COLUMNS, figsize=(style.WIDTHS[2], 1.85 * rows), sharey=True, squeeze=False)
    for ax in axes.flat[panels:]:
        ax.remove()
    return fig, list(axes.flat[:panels])


def against_each(
    panels: Sequence[Panel], data: Mapping[str, xr.Dataset], plain: xr.Dataset, reading: Measure
) -> tuple[Figure, list[Axes]]:
    """Draw a metric against a swept key in each panel, with dotted lines for its value without any imperfection.

    Arguments:
        panels: title, swept key and results of each panel.
        data: results by name, datasets over swept keys, seed and iteration.
        plain: result without any imperfection, over methods, seed and iteration.
        reading: the metric, its statistic over seeds, and the limits of its axis.

    Returns:
        The figure, and the axes of its panels.
    """
    fig, axes = grid(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        for part in panel.parts:
            _against(ax, data[part], panel.over, reading, first=len(ax.containers))
        for _, look, values in style.lines(_squeezed(reading.of(plain)), ("seed",)):
            centre = over_seeds(values.values, reading.statistic).centre
            ax.axhline(float(centre), color=look.line["color"], linestyle=":", linewidth=0.8)
        ax.set(title=panel.title, ylim=reading.limits)
        ax.legend(fontsize=6).set_visible(len(ax.containers) > 1)
    names_at_the_left(axes)
    return fig, axes


def names_at_the_left(panels: list[Axes]) -> None:
    """Remove the name of the vertical axis from all panels that are not at the left.

    Arguments:
        panels: axes of the panels, a left one first.
    """
    for ax in panels[1:]:
        if ax.get_position().x0 > panels[0].get_position().x0:
            ax.set_ylabel("")


def _against(ax: Axes, data: xr.Dataset, over: str, reading: Measure, first: int) -> None:
    """Draw a statistic over seeds against a swept key, with a line for each value of the other keys."""
    values = _squeezed(reading.of(data))
    for label, look, part in style.lines(values.where(values < LARGEST), (over, "seed"), first):
        centre, low, high = over_seeds(part.transpose("seed", over).values, reading.statistic)
        ax.errorbar(part[over], centre, (centre - low, high - centre), label=label, capsize=1.5, **look.line)
    axis_labels.finish(ax, data, over, str(values.name))
    if over.endswith(("antennas", "iterations")):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    elif not over.endswith("_db"):
        ax.set_xscale("log")


def _squeezed(values: xr.DataArray) -> xr.DataArray:
    """Return a result without the dimension of schemes if it has one scheme only."""
    return values.squeeze("scheme") if values.sizes.get("scheme") == 1 else values
