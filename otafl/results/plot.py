"""Lines of results: curves, readings at a budget, costs of a target; each a statistic over seeds with its spread."""

import warnings
from collections.abc import Collection, Iterator

import numpy as np
import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.metrics.result_variables import VARIABLES
from otafl.results import analysis, axis_labels, result_file, statistics
from otafl.results.matplotlib_setup import Axes, plt
from otafl.results.statistics import Spread, least_seeds, over_seeds
from otafl.results.style import Labels, LineStyle, draw_line, in_order, label, lines
from otafl.settings.plot import TARGET, Plot, drawn

GRID_POINTS = 400
LOWEST_SHADE, ENDLESS = 0.05, 20.0
"""Least ratio of a shade's lower end to its centre, and the ratio in place of an infinite upper end."""
LARGEST = 1e12
"""Value above which a diverging curve is not drawn, so that it does not squeeze the others."""
POINTS = 8
"""Number of markers on a curve."""
ENDED = "has ended"
"""Name of a coordinate beside readings, which no variable has."""
BESIDE = 0.08
"""Distance of the markers of two lines at a category, as a share of that of two categories."""


def draw(data: xr.Dataset, asked: Plot, swept: Collection[str], ax: Axes, first: int = 0) -> Axes:
    """Draw the lines of a result by the keys of a figure, against one of the swept dimensions, or else as curves."""
    kind, x, y = drawn(asked.model_dump(), swept)
    of_lines = {name: getattr(asked, name) for name in ("spread", "labels", "relative_to")}
    of_lines["statistic"] = asked.statistic_of(kind)
    if kind == "curve":
        return curves(data, x, result_file.about(data).target[0] if y == TARGET else y, ax, first, **of_lines)
    if kind == "at_budget":
        return at_budget(data, x, asked.cost, asked.budgets, y, ax, first, **of_lines)
    variable, target = result_file.about(data).target
    return to_target(data, x, y, target, variable, ax, first, reached=asked.reached, **of_lines)


def caption(data: xr.Dataset, asked: Plot, swept: Collection[str]) -> str:
    """Return what ``draw`` shows of the seeds of a result in words, such as "median and quartiles over seeds"."""
    kind = drawn(asked.model_dump(), swept).kind
    return statistics.words(asked.statistic_of(kind), asked.spread, data.sizes["seed"])


def curves(
    data: xr.Dataset,
    x: str = "time_slots",
    y: str = "loss",
    ax: Axes | None = None,
    first: int = 0,
    statistic: str = "mean",
    spread: str | None = None,
    labels: Labels | None = None,
    relative_to: str = "",
) -> Axes:
    """Draw a statistic over seeds of a variable against a cumulative cost, a line for each point; return the axes.

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
        labels: texts of the legend by name of a scheme or value, in its order; None: names and values.
        relative_to: scheme by whose values the others are divided, seed by seed; empty: none.

    Raises:
        OtaflError: the result has no such variable or cost, or the statistic or the spread is unknown.
    """
    analysis.require(data, "variable", y)
    ax = ax or plt.gca()
    x = x if analysis.cumulative(data, x).max() > 0 else "iteration"
    gaps = y not in VARIABLES and bool((data[y].isnull() & data["time_slots"].notnull()).any())
    sparse = (gaps or analysis.marked(data, y, "sparse")) and not relative_to
    marked = data.assign_coords({ENDED: analysis.ended_beside(data, relative_to)})
    for words, look, part in lines(marked, ("seed", "iteration"), first, labels):
        _remark_unfinished(words, part[ENDED].values)
        mixed = part[ENDED].any() and not part[ENDED].all()
        part = part.isel(seed=part[ENDED].values) if mixed else part
        _remark_few(statistic, spread, part.sizes["seed"])
        at, values = (_readings if sparse else _on_grid)(part, x, y)
        if len(at):
            values = values / _reference(data, part, x, y, at, relative_to) if relative_to else values
            if relative_to and not np.isfinite(values).any():
                warnings.warn(f"{words}: has no {x} in common with {relative_to}, so no ratio", Remark, stacklevel=2)
            values = np.where(np.abs(values) < LARGEST, values, np.inf)
            marks = _marks(at, look.dash, evenly=x == "iteration" and sparse)
            _band(ax, at, over_seeds(values, statistic, spread), words, look, marks)
    return axis_labels.finish(ax, data, x, y, relative_to=relative_to, labels=labels)


def _reference(data: xr.Dataset, part: xr.Dataset, x: str, y: str, at: np.ndarray, scheme: str) -> np.ndarray:
    """Return the curves of a scheme at the costs, the point of the sweep and the seeds of a part. Shape [seeds, n]."""
    base = analysis.of_scheme(data, scheme)
    point = {name: part[name].item() for name in base.dims if name not in ("seed", "iteration")}
    values = analysis.on_grid(base.sel(point).sel(seed=part["seed"]), y, x, at)
    return np.where(np.isfinite(values) & (values != 0), values, np.nan)


def _on_grid(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a grid of costs up to the last one of each seed, and the curves on it. Shapes [n], [seeds, n]."""
    costs = analysis.cumulative(part, x)
    start, end = costs.where(costs > 0).min("iteration").max().item(), costs.max("iteration").min().item()
    grid = np.geomspace(start, end, GRID_POINTS) if end > 0 else np.empty(0)
    return grid, analysis.on_grid(part, y, x, grid)


def _readings(part: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean costs of a sparse variable's readings, and the readings. Shapes [n], [seeds, n]."""
    costs, values = xr.broadcast(analysis.cumulative(part, x), part[y])
    read = values.notnull().all("seed").values
    return costs.mean("seed").values[read], values.transpose("seed", "iteration").values[:, read]


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
    labels: Labels | None = None,
    relative_to: str = "",
) -> Axes:
    """Draw a statistic over seeds of a variable at budgets of a cost, against a swept key; return the axes.

    Arguments:
        over: dimension of the swept key.
        cost: name of the cost, such as "energy", or "iteration".
        budgets: budgets, in the cost's unit, each of which has a line.
        data, y, ax, first, statistic, spread, labels, relative_to: as of ``curves``.

    Raises:
        OtaflError: the result has no such variable, cost or dimension, or a budget is no real number.
    """
    ax = ax or plt.gca()
    budgets = tuple(np.atleast_1d(budgets).tolist())
    read = [analysis.at_budget(data, y, cost, budget) for budget in budgets]
    readings = xr.concat(read, xr.Variable(cost, list(budgets))).transpose(..., cost) if len(read) > 1 else read[0]
    readings = analysis.relative(readings, relative_to) if relative_to else readings
    ended = analysis.ended_beside(data, relative_to)
    for x, values, done, words, look in _against(ax, over, readings, ended, first, labels):
        _remark_unfinished(words, done)
        values = np.where(np.abs(values) < LARGEST, values, np.inf)
        if not np.isfinite(values).any():
            warnings.warn(f"{words}: no run has a value within the budget", Remark, stacklevel=2)
        _band(ax, x, _over_ended(values, done, statistic, spread), words, look)
    read = f"at {label(cost, budgets[0])}" if len(budgets) == 1 else ""
    return axis_labels.finish(ax, data, over, y, read, relative_to, labels)


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
    labels: Labels | None = None,
    relative_to: str = "",
) -> Axes:
    """Draw a statistic over seeds of the cost of a target, against a swept key; return the axes.

    A seed that does not reach the target has an infinite cost, so the median exists if most seeds reach it, and the
    mean if all do. A target that is reached and left again has a hollow marker, without a line.

    Arguments:
        over: dimension of the swept key.
        cost: name of the cost, such as "energy", or "iteration".
        target: value of the variable to reach, in its unit.
        variable: name of the variable that reaches it.
        data, ax, first, statistic, spread, labels, relative_to: as of ``curves``.
        reached: "held": the running median must stay within the target. "first": the first reading within it counts.

    Raises:
        OtaflError: the result has no such variable, cost or dimension, or the target is no real number.
    """
    ax = ax or plt.gca()
    costs = [analysis.to_target(data, target, cost, variable, how) for how in (reached, "first")]
    costs = [analysis.relative(readings, relative_to) for readings in costs] if relative_to else costs
    done = analysis.ended_beside(data, relative_to)
    both = [list(_against(ax, over, readings, done, first, labels)) for readings in costs]
    for (x, values, ended, words, look), (_, once, *_) in zip(*both, strict=True):
        _remark_unfinished(words, ended)
        held = _over_ended(values, ended, statistic, spread)
        _band(ax, x, held, words, look)
        passing = _over_ended(once, ended, statistic, "none").centre
        hollow = np.isfinite(passing) & ~np.isfinite(held.centre)
        if hollow.any():
            text = None if np.isfinite(held.centre).any() else words
            points = look._replace(joined=False)
            draw_line(ax, x[hollow], passing[hollow], points, markerfacecolor="white", label=text)
    goal = f"to {variable.replace('_', ' ')} {target:g}"
    return axis_labels.finish(ax, data, over, cost, goal, relative_to, labels)


def _remark_unfinished(label: str, ended: np.ndarray) -> None:
    """Remark on runs of a line that were stopped or failed, which are left out beside others that have ended."""
    count = int((~ended).sum())
    shown = "are left out" if ended.any() else "are drawn up to their last iteration"
    if count:
        warnings.warn(f"{label}: {count} of {ended.size} runs have not ended, and {shown}", Remark, stacklevel=3)


def _remark_few(statistic: str, spread: str | None, seeds: int) -> None:
    """Remark on a spread that needs more seeds than there are."""
    spread = spread or statistics.SPREAD_OF[statistic]
    if spread != "none" and seeds < (least := least_seeds(statistic, spread)):
        rule = f"that of a {statistic} needs {least} seeds, and there are {seeds}; none is drawn"
        warnings.warn(f"plot.spread = {spread!r}: {rule}", Remark, stacklevel=3)


def _over_ended(values: np.ndarray, ended: np.ndarray, statistic: str, spread: str | None) -> Spread:
    """Return a statistic at each point over the runs that have ended, or over all if none has. Shapes [seeds, n]."""
    counted = ended | ~ended.any(axis=0)
    _remark_few(statistic, spread, int(counted.sum(axis=0).min()))
    if ended.all():
        return over_seeds(values, statistic, spread)
    points = [over_seeds(values[runs, n], statistic, spread) for n, runs in enumerate(counted.T)]
    return Spread(*np.transpose(points))


def _against(
    ax: Axes, over: str, readings: xr.DataArray, ended: xr.DataArray, first: int, labels: Labels | None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, str, LineStyle]]:
    """Yield lines of readings against a swept key: its values [n], readings and ends of runs [seeds, n], label, style.

    Words are categories at 0, 1 and so on, which no line joins; there markers of lines stand side by side.
    """
    if over not in readings.dims:
        raise OtaflError("over", over, f"must be a dimension of the result: {', '.join(map(str, readings.dims))}")
    readings = readings.assign_coords({ENDED: ended.broadcast_like(readings)})
    words = readings[over].dtype.kind in "OU"
    order = in_order(readings[over].values, labels or {})
    readings = readings.isel({over: order}) if words else readings.sortby(over)
    x = np.arange(readings.sizes[over]) if words else readings[over].values
    drawn = list(lines(readings, (over, "seed"), first, labels))
    for place, (name, look, part) in enumerate(drawn):
        beside, part = BESIDE * (place - (len(drawn) - 1) / 2) if words else 0, part.transpose("seed", over)
        yield x + beside, part.values, part[ENDED].values, name, look._replace(joined=not words)
    if words:
        ax.set_xlim(-0.5, len(x) - 0.5)
        ax.set_xticks(x, [label(over, word, labels) for word in map(str, readings[over].values)])


def _marks(x: np.ndarray, dash: int, evenly: bool) -> list[int]:
    """Return the indices of a curve's markers, equally spaced on a logarithmic axis, or ``evenly`` on a linear one."""
    space = np.linspace if evenly or x[0] <= 0 else np.geomspace
    wanted = space(x[0], x[-1], POINTS * POINTS + 1)[dash % POINTS :: POINTS]
    return sorted(set(np.searchsorted(x, wanted).clip(max=len(x) - 1).tolist()))


def _band(ax: Axes, x: np.ndarray, spread: Spread, label: str, look: LineStyle, every: int | list[int] = 1) -> None:
    """Draw the finite part of a statistic as a line with a shade for its spread, or as markers with bars."""
    centre = np.where(np.isfinite(spread.centre), spread.centre, np.nan)
    if np.isnan(centre).all():
        return
    draw_line(ax, x, centre, look, markevery=every, label=label)
    if ((spread.low <= 0) & (centre > 0)).any():
        ends = f"its spread reaches zero or less in places, where the shade ends at {LOWEST_SHADE:.0%} of the centre"
        warnings.warn(f"{label}: {ends}", Remark, stacklevel=3)
    low, high = np.where(centre > 0, np.maximum(spread.low, LOWEST_SHADE * centre), spread.low), spread.high
    high = np.where(np.isposinf(high), ENDLESS * centre, high)
    if look.joined:
        ax.fill_between(x, low, high, color=look.line["color"], alpha=0.2, linewidth=0)
    else:
        ax.vlines(x, low, high, color=look.line["color"], linewidth=0.8)
