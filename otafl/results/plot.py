"""Lines of results: curves, readings at a budget, costs of a target; each a statistic over seeds with its spread."""

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

GRID_POINTS = 400
"""Number of points of a curve's grid of costs."""
LOWEST_SHADE, ENDLESS = 0.05, 20.0
"""Least ratio of a shade's lower end to its centre, and the ratio in place of an infinite upper end."""
LARGEST = 1e12
"""Value above which a diverging curve is not drawn, so that it does not squeeze the others."""
POINTS = 8
"""Number of markers on a curve."""


def curves(
    data: xr.Dataset,
    x: str = "time_slots",
    y: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
    statistic: str = "mean",
    spread: str | None = None,
) -> Axes:
    """Draw a statistic over seeds of a variable against a cumulative cost, with a line for each swept point.

    A seed's curve is a step function of its own cost. The statistic is taken at equal cost, up to the smallest last
    cost of all seeds. A test accuracy, which has few readings, is drawn reading by reading, at the mean cost of its
    iteration. If nothing is charged, as over an ideal uplink, iterations take the place of the cost.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, or a part of one.
        x: name of the cost, such as "energy", or "iteration".
        y: name of the variable.
        ax: axes to draw on; left out, the current ones.
        first: number of the first line, from 0, in the cycles of colours and dashes.
        statistic: "mean" or "median".
        spread: "deviation" (standard deviation), "quartiles", "interval" (confidence of 95%) or "none"; left out,
            deviation for a mean, quartiles for a median.

    Returns:
        The axes.

    Raises:
        OtaflError: the result has no such variable or cost, or the statistic or the spread is unknown.
    """
    analysis.require(data, "variable", y)
    ax = ax or plt.gca()
    x = x if analysis.cumulative(data, x).max() > 0 else "iteration"
    for label, look, part in lines(data, ("seed", "iteration"), first):
        sparse = analysis.marked(data, y, "sparse")
        at, values = (_readings if sparse else _on_grid)(part, x, y)
        if len(at):
            values = np.where(np.abs(values) < LARGEST, values, np.inf)
            marks = _marks(at, look.dash, evenly=sparse and x == "iteration")
            _band(ax, at, over_seeds(values, statistic, spread), label, look, marks)
    return axis_labels.finish(ax, data, x, y)


def _on_grid(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a grid of costs up to the last one of each seed, and the curves on it. Shapes [n], [seeds, n]."""
    costs = analysis.cumulative(part, x)
    start, end = costs.where(costs > 0).min("iteration").max().item(), costs.max("iteration").min().item()
    grid = np.geomspace(start, end, GRID_POINTS) if end > 0 else np.empty(0)
    return grid, analysis.on_grid(part, y, x, grid)


def _readings(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean costs of a sparse variable's readings, and the readings. Shapes [n], [seeds, n]."""
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
    """Draw a statistic over seeds of a variable at budgets of a cost, against a swept key.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, or a part of one.
        over: dimension of the swept key.
        cost: name of the cost, such as "energy", or "iteration".
        budgets: budgets, in the cost's unit, each of which has a line.
        y: name of the variable.
        ax: axes to draw on; left out, the current ones.
        first: number of the first line, from 0, in the cycles of colours and dashes.
        statistic: "mean" or "median".
        spread: "deviation" (standard deviation), "quartiles", "interval" (confidence of 95%) or "none"; left out,
            deviation for a mean, quartiles for a median.

    Returns:
        The axes.

    Raises:
        OtaflError: the result has no such variable, cost or dimension, or a budget is no real number.
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
    """Draw a statistic over seeds of the cost of a target, against a swept key.

    A seed that does not reach the target has an infinite cost, so the median exists if most seeds reach it, and the
    mean if all do. A target that is reached and left again has a hollow marker, without a line.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, or a part of one.
        over: dimension of the swept key.
        cost: name of the cost, such as "energy", or "iteration".
        target: value of the variable to reach, in its unit.
        variable: name of the variable that reaches it.
        ax: axes to draw on; left out, the current ones.
        first: number of the first line, from 0, in the cycles of colours and dashes.
        statistic: "mean" or "median".
        spread: "deviation" (standard deviation), "quartiles", "interval" (confidence of 95%) or "none"; left out,
            deviation for a mean, quartiles for a median.
        reached: "held": the running median must stay within the target. "first": the first reading within it counts.

    Returns:
        The axes.

    Raises:
        OtaflError: the result has no such variable, cost or dimension, or the target is no real number.
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
    """Yield lines of readings against a swept key: its values [n], readings [seeds, n], label and style.

    Numbers are sorted; words are categories at 0, 1 and so on.
    """
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
    """Return the indices of a curve's markers, equally spaced on a logarithmic axis, or ``evenly`` on a linear one."""
    space = np.linspace if evenly or x[0] <= 0 else np.geomspace
    wanted = space(x[0], x[-1], POINTS * POINTS + 1)[dash % POINTS :: POINTS]
    return sorted(set(np.searchsorted(x, wanted).clip(max=len(x) - 1).tolist()))


def _band(ax: Axes, x: np.ndarray, found: Spread, label: str, look: LineStyle, every: Any = 1) -> None:
    """Draw the finite part of a statistic as a line, with a shade for its spread."""
    centre = np.where(np.isfinite(found.centre), found.centre, np.nan)
    if np.isnan(centre).all():
        return
    ax.plot(x, centre, **look.line, markevery=every, label=label)
    low, high = np.maximum(found.low, LOWEST_SHADE * centre), found.high
    high = np.where(np.isposinf(high), ENDLESS * centre, high)
    ax.fill_between(x, low, high, color=look.line["color"], alpha=0.2, linewidth=0)
