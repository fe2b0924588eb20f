"""Figures of results, in the size and type of a journal column."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otafl.results import analysis, file
from otafl.scenario.quantities import quantity
from otafl.settings.keys import Plot
from otafl.variables import ITERATION, VARIABLES

STYLE: Any = {
    "figure.figsize": (3.5, 2.6),
    "figure.constrained_layout.use": True,
    "font.size": 8,
    "axes.titlesize": 8,
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "legend.fontsize": 7,
    "legend.framealpha": 0.85,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.4,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F7F7F")
DASHES = ((), (4, 1.5), (1, 1), (4, 1, 1, 1), (6, 2), (2, 1), (5, 1, 1, 1, 1, 1), (3, 3))
MARKERS = "os^Dv<>"
GRID_POINTS = 400
LEGEND_INSIDE = 7
"""Most lines that have their legend inside the axes; with more it stands beside them."""
LOWEST_SHADE = 0.05
"""Shades end here, as a share of the mean, where the standard deviation exceeds it: zero has no logarithm."""
WIDE_SPAN = 20
"""An axis is logarithmic where some line spans more than such a factor."""
LARGEST = 1e12
"""What diverges beyond is not drawn, so that it does not squeeze the rest."""
LOWEST_LOSS = 1e-9
"""Where the axis of a loss ends at the latest."""


def curves(data: xr.Dataset, x: str = "time_slots", y: str = "loss", ax: Axes | None = None, first: int = 0) -> Axes:
    """Mean and standard deviation over seeds of ``y`` against a cumulative cost, a line per swept point.

    A seed's curve is a step function of its own cost; the mean is taken at equal cost, over as far as every seed
    goes. A test accuracy, of which there are few readings, is instead drawn reading by reading, at the mean cost of its
    iteration. ``first`` is the place in the cycle of line styles that the first line takes. Where nothing is charged,
    as over an ideal uplink, iterations take the place of the cost.
    """
    ax = ax or plt.gca()
    x = x if analysis.cumulative(data, x).max() > 0 else "iteration"
    for place, (label, part) in enumerate(_lines(data, ("seed", "iteration")), start=first):
        if VARIABLES[y].sparse:
            _readings(ax, part, x, y, label, place)
            continue
        costs = analysis.cumulative(part, x)
        start, end = costs.where(costs > 0).min("iteration").max().item(), costs.max("iteration").min().item()
        if not end > 0:
            continue
        grid = np.geomspace(start, end, GRID_POINTS)
        _band(ax, grid, analysis.on_grid(part, y, x, grid), label, place, every=GRID_POINTS // 8)
    return _axes(ax, data, x, y)


def _readings(ax: Axes, part: xr.Dataset, x: str, y: str, label: str, place: int) -> None:
    """A line through the readings of a variable that is read at some iterations only."""
    costs = analysis.cumulative(part, x)
    part = part.assign(cost=costs if "seed" in costs.dims else costs.expand_dims(seed=part["seed"]))
    read = part.where(part[y].notnull().all("seed"), drop=True)
    values = read[y].transpose("seed", "iteration").values
    _band(ax, read["cost"].mean("seed").values, values, label, place, every=max(1, values.shape[1] // 8))


def at_budget(
    data: xr.Dataset,
    over: str,
    cost: str,
    budgets: tuple[float, ...],
    y: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
) -> Axes:
    """Mean and standard deviation over seeds of ``y`` at budgets of a cost, against a swept coordinate."""
    ax = ax or plt.gca()
    for budget in budgets:
        readings = analysis.at_budget(data, y, cost, budget)
        first = _against(ax, over, readings, first, f", {budget:,.0f} {cost.replace('_', ' ')}")
    return _axes(ax, data, over, y)


def to_target(
    data: xr.Dataset,
    over: str,
    cost: str,
    target: float,
    variable: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
) -> Axes:
    """Mean and standard deviation over seeds of the cost of reaching a loss or accuracy, against a swept coordinate.

    A point where some seed does not reach it is left out.
    """
    ax = ax or plt.gca()
    _against(ax, over, analysis.to_target(data, target, cost, variable), first)
    return _axes(ax, data, over, cost)


def _against(ax: Axes, over: str, readings: xr.DataArray, first: int, suffix: str = "") -> int:
    """Lines of readings against a coordinate, numbers in order and words as categories; the next place for a line."""
    words = readings[over].dtype.kind in "OU"
    readings = readings if words else readings.sortby(over)
    x = np.arange(readings.sizes[over]) if words else readings[over].values
    lines = list(_lines(readings, (over, "seed")))
    for place, (label, part) in enumerate(lines, start=first):
        _band(ax, x, part.transpose("seed", over).values, label + suffix, place)
    if words:
        ax.set_xticks(x, [str(word).replace("$", r"\$") for word in readings[over].values])
    return first + len(lines)


def figure(data: xr.Dataset) -> Figure:
    """The figure that a result's scenario asks for."""
    plot, (variable, target) = _asked(data)
    with matplotlib.rc_context(STYLE):
        drawn, ax = plt.subplots()
        if shows_curves(data):
            learning_curves(data, ax)
        elif plot.kind == "at_budget":
            at_budget(data, swept_beside_scheme(data)[0], plot.cost, plot.budgets, plot.y, ax)
        else:
            to_target(data, swept_beside_scheme(data)[0], plot.cost, target, variable, ax)
        if len(ax.get_lines()) > LEGEND_INSIDE:
            drawn.set_size_inches(5.5, max(2.6, 0.16 * len(ax.get_lines())))
    return drawn


def shows_curves(data: xr.Dataset) -> bool:
    """Whether the figure of a result is its learning curves: where they are asked for, or nothing else can be shown."""
    return _asked(data)[0].kind == "curve" or not swept_beside_scheme(data)


def learning_curves(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Curves of the reading that a result's scenario is about against its cost, a line per swept point."""
    plot, (variable, _) = _asked(data)
    x = plot.x if plot.kind == "curve" else plot.cost
    return curves(data, x, variable if plot.kind == "to_target" else plot.y, ax)


def swept_beside_scheme(data: xr.Dataset) -> list[str]:
    """Names of the swept keys of a result but the scheme."""
    return [name for name in analysis.swept(data) if name != "scheme"]


def save(drawn: Figure, stem: Path, formats: tuple[str, ...] = ("png", "pdf")) -> list[Path]:
    """Write a figure as ``stem.png`` and ``stem.pdf``, whole or not at all; returns the paths."""
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    for path in paths:
        metadata = {"CreationDate": None} if path.suffix == ".pdf" else None
        content = io.BytesIO()  # as matplotlib fails in another way where a disk is full
        with matplotlib.rc_context(STYLE), file.atomic_file(path) as temporary:
            drawn.savefig(content, format=path.suffix[1:], metadata=metadata)
            temporary.write_bytes(content.getvalue())
    plt.close(drawn)
    return paths


def _asked(data: xr.Dataset) -> tuple[Plot, tuple[str, float]]:
    """The plot table of a result's scenario, and its target."""
    about = file.about(data)
    return about.plot, about.target


def _lines(data: Any, kept: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Every combination of the dimensions that are not kept, with a label."""
    for part in analysis.points(data, kept):
        names = [name for name in data.dims if name not in kept] or [
            name for name in ("scheme",) if name in data.coords
        ]
        yield ", ".join(label(str(name), part[name].item()) for name in names), part


def label(name: str, value: Any) -> str:
    """A swept value in words and symbols."""
    if isinstance(value, str):
        return value.replace("$", r"\$") or f"no {name.replace('_', ' ')}"
    symbol = quantity(name).symbol or name.replace("_", " ")
    return f"{symbol} = {value:.3g}"


def _band(ax: Axes, x: np.ndarray, values: np.ndarray, label: str, place: int, every: int = 1) -> None:
    """A line for the mean over the first axis, a shade for the standard deviation around it; nothing beyond LARGEST."""
    values = np.where(np.abs(values) < LARGEST, values, np.nan)
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    marker = MARKERS[place % len(MARKERS)]
    ax.plot(x, mean, color=colour, dashes=dash, marker=marker, markevery=(place * every // 8, every), label=label)
    low = np.maximum(mean - deviation, LOWEST_SHADE * mean)
    ax.fill_between(x, low, mean + deviation, color=colour, alpha=0.2, linewidth=0)


def _axes(ax: Axes, data: xr.Dataset, x: str, y: str) -> Axes:
    """Names with units, logarithmic for costs and losses, and a legend; says so where no point was drawn."""
    lines = [line.get_data() for line in ax.get_lines()]
    for place, (letter, name) in enumerate((("x", x), ("y", y))):
        attributes = data[name].attrs
        unit = {"J": " [J]", "dB": " [dB]"}.get(str(attributes.get("units")), "")
        positive = any((np.isfinite(line[place]) & (np.asarray(line[place]) > 0)).any() for line in lines)
        words = data[name].dtype.kind in "OU"
        ax.set(**{f"{letter}label": f"{attributes.get('long_name', name)}{unit}"})
        rounds = name == ITERATION.name and quantity(y).linear
        finite = [values[np.isfinite(values)] for values in (np.asarray(line[place]) for line in lines)]
        wide = any(values.max() > WIDE_SPAN * values.min() for values in finite if positive and len(values))
        if wide and not words and not rounds and not quantity(name).linear:
            ax.set(**{f"{letter}scale": "log"})
    if not any(np.isfinite(line[1]).any() for line in lines):
        ax.text(0.5, 0.5, "no run has a value here", transform=ax.transAxes, ha="center")
    elif y == "loss" and ax.get_yscale() == "log":
        ax.set_ylim(bottom=max(ax.get_ylim()[0], LOWEST_LOSS))
    if len(lines) > LEGEND_INSIDE:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    elif lines:
        ax.legend()
    return ax
