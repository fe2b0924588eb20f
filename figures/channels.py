"""The gallery's section on channels: what stands before and behind its figures, and how their panels are drawn."""

from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otafl.results import axes, looks
from otafl.results.plot import LARGEST, LOWEST_SHADE
from otafl.results.statistics import over_seeds

COLUMNS = 3
HEAD = "\n# Channels\n"
FOOT = ""
Reading = Callable[[xr.Dataset], xr.DataArray]
Parts = tuple[str, ...]


def grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Panels in rows of three, whose axis of values is one for all."""
    rows = -(-panels // COLUMNS)
    fig, made = plt.subplots(rows, COLUMNS, figsize=(looks.WIDTHS[2], 1.85 * rows), sharey=True)
    for ax in made.flat[panels:]:
        ax.remove()
    return fig, list(made.flat[:panels])


def against_each(
    panels: Mapping[str, tuple[str, Parts]], data: Mapping[str, xr.Dataset], plain: xr.Dataset, reading: Reading
) -> tuple[Figure, list[Axes]]:
    """A panel for each key, by title: the key's name, and the results that sweep it; dotted, what there is without."""
    fig, made = grid(len(panels))
    for ax, (title, (over, parts)) in zip(made, panels.items(), strict=True):
        for part in parts:
            against(ax, data[part], over, reading(data[part]), first=len(ax.containers))
        for _, look, values in looks.lines(reading(plain), ("seed",)):
            ax.axhline(float(values.mean()), color=look.line["color"], linestyle=":", linewidth=0.8)
        ax.set_title(title)
        ax.legend(fontsize=6).set_visible(len(ax.containers) > 1)
    outer_names(made)
    return fig, made


def outer_names(panels: list[Axes]) -> None:
    """The name of the values only at the left."""
    for ax in panels:
        if not ax.get_subplotspec().is_first_col():
            ax.set_ylabel("")


def against(ax: Axes, data: xr.Dataset, over: str, values: xr.DataArray, first: int = 0) -> None:
    """Mean and standard deviation over seeds against a swept key, a line for each value of the others."""
    values = values.squeeze("scheme") if values.sizes.get("scheme") == 1 else values
    for label, look, part in looks.lines(values.where(values < LARGEST), (over, "seed"), first):
        centre, low, high = over_seeds(part.transpose("seed", over).values)
        below = centre - np.maximum(low, LOWEST_SHADE * centre)
        ax.errorbar(part[over], centre, (below, high - centre), label=label, capsize=1.5, **look.line)
    axes.finish(ax, data, over, str(values.name))
    if over.endswith("antennas"):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    elif not over.endswith("_db"):
        ax.set_xscale("log")
