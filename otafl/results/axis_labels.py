"""Axes of a figure: scales, limits, names with units, legends."""

import functools
import itertools
import warnings

import numpy as np
import xarray as xr

from otafl.errors import Remark
from otafl.metrics.result_variables import ITERATION
from otafl.results.analysis import marked
from otafl.results.matplotlib_setup import Artist, Axes, Figure, Line2D, ticker
from otafl.results.style import Labels, ResultLine, attributes, drawable, label
from otafl.settings.plot import Plot

CHARACTERS_PER_INCH, ROW, MOST_COLUMNS = 16, 0.13, 5
"""Legend below panels: characters per inch, height of a row [in], largest number of columns."""
LEGEND_INSIDE = 7
"""Largest number of lines whose legend is inside the axes; that of more lines is beside them."""
MOST_SHADES = 12
"""Largest number of shades that all have an entry in the legend."""
DECADE = 10
"""Ratio of the largest to the smallest value from which on an axis is logarithmic."""
LOWEST_LOSS = 1e-9
"""Lowest limit of the logarithmic axis of a loss."""


def finish(
    ax: Axes, data: xr.Dataset, x: str, y: str, read: str = "", relative_to: str = "", labels: Labels | None = None
) -> Axes:
    """Add names with units, logarithmic scales and a legend to axes that have their lines; return the axes.

    A note says so if no point was drawn. What is ``read`` is said in words, such as "at 20 rounds", as is the scheme to
    whose values it is relative, of which the legend's labels may have a text.
    """
    for letter, name in (("x", x), ("y", y)):
        words, unit = attributes(data, name)
        ax.set(**{f"{letter}label": drawable(words) + unit})
        _scale(ax, letter, data, name, linear=name == ITERATION.name and marked(data, y, "linear"))
    reading = [read] * bool(read)
    reading += [f"relative to {label('scheme', relative_to, labels)}"] * bool(relative_to)
    if reading:
        ax.set_ylabel(f"{drawable(words)}{'' if relative_to else unit}\n{' '.join(reading)}")
    sparse(ax)
    if not np.isfinite(_values(ax, "y")).any():
        ax.text(0.5, 0.5, "no run has a value here", transform=ax.transAxes, ha="center")
    elif y == "loss" and ax.get_yscale() == "log":
        ax.set_ylim(bottom=max(ax.get_ylim()[0], LOWEST_LOSS), auto=None)  # other panels may widen it
    elif y == "test_accuracy" and not relative_to:
        ax.set_ylim(top=min(ax.get_ylim()[1], 1.0), auto=None)
    entries = list(itertools.chain.from_iterable(legend_entries(ax)))
    if len(entries) > LEGEND_INSIDE:
        ax.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    elif entries:
        ax.legend(handles=entries)
    return ax


def _values(ax: Axes, letter: str) -> np.ndarray:
    """Return the values of all lines on an axis. Shape [points]."""
    drawn = [np.asarray(line.get_xydata(), float)[:, "xy".index(letter)] for line in ax.get_lines()]
    return np.concatenate([*drawn, np.empty(0)])


def _scale(ax: Axes, letter: str, data: xr.Dataset, name: str, linear: bool) -> None:
    """Make an axis logarithmic where its values are wide, and give one of whole numbers whole ticks."""
    kind, swept = data[name].dtype.kind, name in data.dims and name != ITERATION.name
    values = _values(ax, letter)
    values = values[np.isfinite(values)]
    positive = values[values > 0]
    enough = len(positive) == len(values) > 0 if swept else 2 * len(positive) > len(values)
    wide = enough and positive.max() >= DECADE * positive.min()
    if wide and not (linear or kind in "OU" or marked(data, name, "linear")):
        ax.set(**{f"{letter}scale": "log"})
    elif kind in "iu":
        locator = ticker.MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True)
        getattr(ax, f"{letter}axis").set_major_locator(locator)


def sparse(ax: Axes) -> None:
    """Thin out the labels of logarithmic axes on which less than two powers of 10 are seen."""
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            ticks = functools.partial(axis.get_ticklocs, minor=True)
            axis.set_minor_formatter(
                lambda value, _, axis=axis, ticks=ticks: _minor_label(value, ticks(), *axis.get_view_interval())
            )


def _minor_label(value: float, ticks: np.ndarray, *limits: float) -> str:
    """Return the label of a tick between powers of 10; empty for those that are left out between some limits."""
    low, high = np.log10(sorted(limits))
    exponent = int(np.floor(np.log10(value)))
    factor = float(f"{value / 10.0**exponent:.6g}")
    factors = ticks / 10 ** np.floor(np.log10(ticks))
    spaced = not np.allclose(factors, np.round(factors))  # equally, as those of a part of a decade
    if spaced and 1e-3 <= value < 1e4:
        return f"{value:.6g}"
    labelled = {0: (2, 3, 5), 1: (3,)}.get(int(np.floor(high) - np.ceil(low)) + 1, ())
    return rf"$\mathdefault{{{factor:g}\times10^{{{exponent}}}}}$" if spaced or factor in labelled else ""


def outer_names(fig: Figure, grid: np.ndarray) -> None:
    """Remove the names of axes that are neither at the left nor at the foot of a grid of panels, [rows, columns]."""
    for ax in grid[:, 1:].flat:
        ax.set_ylabel("")
    for ax, below in zip(grid[:-1].flat, grid[1:].flat, strict=True):
        if below in fig.axes:
            ax.set_xlabel("")


def legend_entries(ax: Axes) -> list[list[Artist]]:
    """Return the entries for colours, shades (of many some, and how many they are) and dashes of the lines of axes."""
    groups: tuple[dict[str, Artist], ...] = {}, {}, {}
    for line in ax.get_legend_handles_labels()[0]:
        for role, entry in line.entries() if isinstance(line, ResultLine) else [(0, line)]:
            groups[role].setdefault(str(entry.get_label()), entry)
    colours, shades, dashes = ([*group.values()] for group in groups)
    if len(shades) > MOST_SHADES:
        places = np.linspace(0, len(shades) - 1, LEGEND_INSIDE).round().astype(int)
        number = Line2D([], [], linestyle="none", label=f"{len(shades)} values in all")
        shades = [*(shades[place] for place in places), number]
    return [group for group in (colours, shades, dashes) if group]


def legend_fits_inside(fig: Figure, ax: Axes) -> bool:
    """Return True if axes have no legend, or one inside that lies over none of their lines and shades."""
    if (legend := ax.get_legend()) is None:
        return True
    fig.draw_without_rendering()
    box = legend.get_window_extent()
    shades = [(shade, path) for shade in ax.collections for path in shade.get_paths()]
    drawn = [*((line, line.get_path()) for line in ax.get_lines()), *shades]
    over = (path.transformed(artist.get_transform()).intersects_bbox(box) for artist, path in drawn)
    return ax.bbox.fully_overlaps(box) and not any(over)


def legend_below(fig: Figure, ax: Axes) -> None:
    """Put one panel's legend below all, each dimension in rows of its own, and remove the panels' own legends."""
    for panel in fig.axes:
        if (inside := panel.get_legend()) is not None:
            inside.remove()
    groups = legend_entries(ax)
    if groups:
        longest = max(len(str(entry.get_label())) for entry in itertools.chain.from_iterable(groups))
        fit = max(1, min(MOST_COLUMNS, int(fig.get_figwidth() * CHARACTERS_PER_INCH // (longest + 6))))
        split = [(group, np.array_split(np.arange(len(group)), -(-len(group) // fit))) for group in groups]
        rows = [[group[place] for place in places] for group, parts in split for places in parts]
        columns = list(itertools.zip_longest(*rows, fillvalue=Line2D([], [], linestyle="none", label="")))
        fig.set_figheight(fig.get_figheight() + ROW * len(rows))
        fig.legend(handles=[*itertools.chain(*columns)], loc="outside lower center", ncols=len(columns))


def as_asked(ax: Axes, plot: Plot, target: float | None) -> None:
    """Set the names, scales and limits of axes by a figure's keys, and draw a line at the target, if there is one."""
    given = {"xlabel": plot.x_label, "ylabel": plot.y_label}
    ax.set(**{key: drawable(text) for key, text in given.items() if text})
    for letter, scale, limits in (("x", plot.x_scale, plot.x_limits), ("y", plot.y_scale, plot.y_limits)):
        if scale or (limits and limits[0] <= 0):
            ax.set(**{f"{letter}scale": scale or "linear"})
        if scale == "log" and (hidden := int((_values(ax, letter) <= 0).sum())):
            remark = f"plot.{letter}_scale = 'log': {hidden} points at values that are not positive are not shown"
            warnings.warn(remark, Remark, stacklevel=2)
        if limits:
            if getattr(ax, f"get_{letter}scale")() == "log" != scale and limits[1] < DECADE * limits[0]:
                ax.set(**{f"{letter}scale": "linear"})
            ax.set(**{f"{letter}lim": limits})
    sparse(ax)
    if target is not None:
        ax.axhline(target, color="black", linewidth=0.6, linestyle=":")
