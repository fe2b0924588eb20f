"""What surrounds lines: scales, limits, names with units, legends."""

import numpy as np
import xarray as xr

from otafl.results.matplotlib_setup import Axes, Figure, mathtext
from otafl.results.style import attributes, plain
from otafl.scenario.axis_quantities import quantity
from otafl.settings.plot import Plot
from otafl.variables import ITERATION

CHARACTERS_PER_INCH, SMALL, ROW, MOST_COLUMNS = 16, 7, 0.13, 5
"""Of a legend below panels: letters in an inch, their size in points, a row's height in inches, columns."""
LEGEND_INSIDE = 7
"""Most lines that have their legend inside the axes; with more it stands beside them."""
DECADE = 10
"""An axis is logarithmic where its values span such a factor."""
LOWEST_LOSS = 1e-9
"""Where the axis of a loss ends at the latest."""


def finish(ax: Axes, data: xr.Dataset, x: str, y: str) -> Axes:
    """Names with units, logarithmic where values span a decade, and a legend; says so where no point was drawn."""
    lines = [np.asarray(line.get_xydata(), float) for line in ax.get_lines()]
    for place, (letter, name) in enumerate((("x", x), ("y", y))):
        words, unit = attributes(data, name)
        ax.set(**{f"{letter}label": _drawable(words) + unit})
        rounds = name == ITERATION.name and quantity(y).linear
        if data[name].dtype.kind not in "OU" and not rounds and not quantity(name).linear and _wide(lines, place):
            ax.set(**{f"{letter}scale": "log"})
    if not any(np.isfinite(line[:, 1]).any() for line in lines):
        ax.text(0.5, 0.5, "no run has a value here", transform=ax.transAxes, ha="center")
    elif y == "loss" and ax.get_yscale() == "log":
        ax.set_ylim(bottom=max(ax.get_ylim()[0], LOWEST_LOSS))
    legend(ax)
    return ax


def _drawable(text: str) -> str:
    """Return a text as it is if its formulas can be drawn, else without formulas."""
    try:
        mathtext.MathTextParser("path").parse(text)
    except (ValueError, RecursionError):
        return plain(text)
    return text


def _wide(lines: list[np.ndarray], place: int) -> bool:
    """Whether the positive values on an axis span a decade, and most are positive."""
    values = np.concatenate([line[np.isfinite(line[:, place]), place] for line in lines] or [np.empty(0)])
    positive = values[values > 0]
    return 2 * len(positive) > len(values) and positive.max() >= DECADE * positive.min()


def legend(ax: Axes) -> None:
    """A legend of what is drawn, beside the axes where it is long."""
    handles, _ = ax.get_legend_handles_labels()
    if len(handles) > LEGEND_INSIDE:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    elif handles:
        ax.legend()


def outer_names(fig: Figure, grid: np.ndarray) -> None:
    """The names of axes only at the left and at the foot of panels."""
    for ax in grid[:, 1:].flat:
        ax.set_ylabel("")
    for ax, below in zip(grid[:-1].flat, grid[1:].flat, strict=True):
        if below in fig.axes:
            ax.set_xlabel("")


def legend_below(fig: Figure, ax: Axes) -> None:
    """One panel's legend for all of them, below, in as many columns as fit."""
    for panel in fig.axes:
        if (own := panel.get_legend()) is not None:
            own.remove()
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    fit = int(fig.get_figwidth() * CHARACTERS_PER_INCH // (max(map(len, labels)) + 6))
    columns = max(1, min(MOST_COLUMNS, fit))
    fig.set_figheight(fig.get_figheight() + ROW * -(-len(handles) // columns))
    fig.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=SMALL)


def as_asked(ax: Axes, plot: Plot, target: float | None) -> None:
    """The scales and limits that a figure's keys ask for, and a line at the target where there is one."""
    for letter, scale, limits in (("x", plot.x_scale, plot.x_limits), ("y", plot.y_scale, plot.y_limits)):
        if scale:
            ax.set(**{f"{letter}scale": scale})
        if limits and limits[0] <= 0 and not scale:
            ax.set(**{f"{letter}scale": "linear"})
        if limits:
            ax.set(**{f"{letter}lim": limits})
    if target is not None:
        ax.axhline(target, color="black", linewidth=0.6, linestyle=":")
