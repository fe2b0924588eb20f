"""Lines of results: curves, what a budget buys, what a target costs; a statistic over seeds each, with its spread."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.results import analysis, axis_labels
from otafl.results.matplotlib_setup import Axes, plt
from otafl.results.statistics import Spread, over_seeds
from otafl.results.style import LineStyle, lines, plain
from otafl.variables import VARIABLES

GRID_POINTS = 400
LOWEST_SHADE, ENDLESS = 0.05, 20.0
"""Shades end here, as shares of the centre, where the spread goes beyond: zero has no logarithm, nor has infinity."""
LARGEST = 1e12
"""What diverges beyond is not drawn, so that it does not squeeze the rest."""
POINTS = 8
"""Markers on a curve."""


def curves(
    data: xr.Dataset,
    x: str = "time_slots",
    y: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
    statistic: str = "mean",
    spread: str | None = None,
) -> Axes:
    """A statistic over seeds of ``y`` against a cumulative cost, a line per swept point.

    A seed's curve is a step function of its own cost; the statistic is taken at equal cost, over as far as every seed
    goes. A test accuracy, of which there are few readings, is instead drawn reading by reading, at the mean cost of its
    iteration. Where nothing is charged, as over an ideal uplink, iterations take the place of the cost.

    Arguments:
        data: a result, or a part of one.
        x: the cost, one of the ledger's or "iteration".
        y: the variable.
        ax: where to draw; left out, the current axes.
        first: place in the cycles of colours and dashes that the first line takes.
        statistic: "mean" or "median".
        spread: as ``statistics.over_seeds`` has it.
    """
    analysis.require(data, "variable", y)
    ax = ax or plt.gca()
    x = x if analysis.cumulative(data, x).max() > 0 else "iteration"
    for label, look, part in lines(data, ("seed", "iteration"), first):
        at, values = (_readings if VARIABLES[y].sparse else _on_grid)(part, x, y)
        if len(at):
            values = np.where(np.abs(values) < LARGEST, values, np.inf)
            evenly = x == "iteration" and VARIABLES[y].sparse
            _band(ax, at, over_seeds(values, statistic, spread), label, look, _marks(at, look.dash, evenly))
    return axis_labels.finish(ax, data, x, y)


def _on_grid(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Costs as far as every seed goes, none where one does not begin, and its curves there. Shapes [n], [seeds, n]."""
    costs = analysis.cumulative(part, x)
    start, end = costs.where(costs > 0).min("iteration").max().item(), costs.max("iteration").min().item()
    grid = np.geomspace(start, end, GRID_POINTS) if end > 0 else np.empty(0)
    return grid, analysis.on_grid(part, y, x, grid)


def _readings(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean costs of the readings of a variable that is read at some iterations only, and these, likewise."""
    costs = analysis.cumulative(part, x)
    part = part.assign(cost=costs if "seed" in costs.dims else costs.expand_dims(seed=part["seed"]))
    read = part.where(part[y].notnull().all("seed"), drop=True)
    return read["cost"].mean("seed").values, read[y].transpose("seed", "iteration").values


def at_budget(
    data: xr.Dataset,
    over: str,
    cost: str,
    budgets: tuple[float, ...],
    y: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
    statistic: str = "mean",
    spread: str | None = None,
) -> Axes:
    """A statistic over seeds of ``y`` at budgets of a cost, against a swept coordinate.

    Arguments as in ``curves``, and

    Arguments:
        over: the coordinate.
        cost: what is spent.
        budgets: of which each has a line, in the cost's unit.
    """
    ax = ax or plt.gca()
    budgets = tuple(np.atleast_1d(budgets).tolist())
    read = [analysis.at_budget(data, y, cost, budget) for budget in budgets]
    readings = xr.concat(read, xr.Variable(cost, list(budgets))).transpose(..., cost)
    for x, values, label, look in _against(ax, over, readings, first):
        values = np.where(np.abs(values) < LARGEST, values, np.inf)
        if not np.isfinite(values).any():
            warnings.warn(f"{label}: no run has a value within the budget", Remark, stacklevel=2)
        _band(ax, x, over_seeds(values, statistic, spread), label, look)
    return axis_labels.finish(ax, data, over, y)


def to_target(
    data: xr.Dataset,
    over: str,
    cost: str,
    target: float,
    variable: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
    statistic: str = "median",
    spread: str | None = None,
    reached: str = "held",
) -> Axes:
    """A statistic over seeds of the cost of a target, against a swept coordinate.

    A seed that does not come to the target has an infinite cost, so there is a median where most of them do, and a mean
    where all do. Where the target is reached once and left again, the marker is hollow, and no line leads there.

    Arguments as in ``at_budget``, and

    Arguments:
        target: a loss or accuracy, of ``variable``.
        reached: as ``analysis.to_target`` has it.
    """
    ax = ax or plt.gca()
    found = [analysis.to_target(data, target, cost, variable, how) for how in (reached, "first")]
    both = [list(_against(ax, over, one, first)) for one in found]
    for (x, values, label, look), (_, once, _, _) in zip(*both, strict=True):
        there = over_seeds(values, statistic, spread)
        _band(ax, x, there, label, look)
        passing = over_seeds(once, statistic, "none").centre
        hollow = np.isfinite(passing) & ~np.isfinite(there.centre)
        if hollow.any():
            told = None if np.isfinite(there.centre).any() else label
            style = look.line | {"linestyle": "none", "markerfacecolor": "white", "label": told}
            style.pop("dashes")
            ax.plot(x[hollow], passing[hollow], **style)
    return axis_labels.finish(ax, data, over, cost)


def _against(
    ax: Axes, over: str, readings: xr.DataArray, first: int
) -> Iterator[tuple[np.ndarray, np.ndarray, str, LineStyle]]:
    """Lines of readings against a coordinate, numbers in order and words as categories: places, values [seeds, places],
    label and look."""
    if over not in readings.dims:
        raise OtaflError("over", over, f"must be a dimension of the result: {', '.join(map(str, readings.dims))}")
    words = readings[over].dtype.kind in "OU"
    readings = readings if words else readings.sortby(over)
    x = np.arange(readings.sizes[over]) if words else readings[over].values
    for label, look, part in lines(readings, (over, "seed"), first):
        yield x, part.transpose("seed", over).values, label, look
    if words:
        ax.set_xticks(x, [plain(str(word)) for word in readings[over].values])


def _marks(x: np.ndarray, dash: int, evenly: bool) -> list[int]:
    """Places of a curve's markers, which are as far apart on a logarithmic axis, or ``evenly`` on a linear one."""
    space = np.linspace if evenly or x[0] <= 0 else np.geomspace
    wanted = space(x[0], x[-1], POINTS * POINTS + 1)[dash % POINTS :: POINTS]
    return sorted(set(np.searchsorted(x, wanted).clip(max=len(x) - 1).tolist()))


def _band(ax: Axes, x: np.ndarray, found: Spread, label: str, look: LineStyle, every: Any = 1) -> None:
    """A line for a statistic and a shade for its spread, where it is finite; none where it is nowhere."""
    centre = np.where(np.isfinite(found.centre), found.centre, np.nan)
    if np.isnan(centre).all():
        return
    ax.plot(x, centre, **look.line, markevery=every, label=label)
    high = np.where(np.isposinf(found.high), ENDLESS * centre, found.high)
    ax.fill_between(
        x, np.maximum(found.low, LOWEST_SHADE * centre), high, color=look.line["color"], alpha=0.2, linewidth=0
    )
