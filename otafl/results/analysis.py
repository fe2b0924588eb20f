"""Readings of a result of ``otafl.run``: a variable at a budget of a cost, and the cost of a target."""

import math
from collections.abc import Iterator
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from otafl.engine.outcome import AROUND, FINAL, HALF_WINDOW
from otafl.errors import OtaflError
from otafl.metrics.result_variables import COORDINATES, CURVES, Variable
from otafl.results.result_schema import LAST, NUMBERS, Curves, require_dataset, require_values
from otafl.scenario.dotted_keys import quantity

if TYPE_CHECKING:
    import pandas as pd

SHORT = 8
"""Number of readings for each one of half a window; a run with few readings has a shorter window."""
MARKS = ("linear", "rises", "sparse")
"""Fields of a variable that are true or false, and attributes of metrics in results."""
RISEN, HIGH = 0.02, 0.5
"""Smallest rise of an accuracy that counts as learning, and the accuracy above which none is needed."""


def swept(data: xr.Dataset) -> list[str]:
    """Return the names of a result's swept keys: its dimensions other than seed and iteration."""
    return [str(name) for name in data["loss"].dims if name not in ("seed", "iteration")]


def points(data: xr.Dataset) -> Iterator[xr.Dataset]:
    """Yield the part of a result at each point of its sweep, with the swept keys as scalar coordinates."""
    dims = [name for name in data.dims if name not in ("seed", "iteration")]
    for index in np.ndindex(*(data.sizes[name] for name in dims)):
        yield data.isel(dict(zip(dims, index, strict=True)))


def ended(data: xr.Dataset) -> xr.DataArray:
    """Return True for each run that has completed or diverged, [swept keys, seed]; a scalar without outcomes."""
    return data["outcome"].isin(FINAL) if "outcome" in data else xr.DataArray(True)


def ended_beside(data: xr.Dataset, scheme: str) -> xr.DataArray:
    """Return True for each run that has ended, as has that of a reference scheme, if one is named, with its seed."""
    done = ended(data)
    return done & of_scheme(done, scheme) if scheme and done.dims else done


def cumulative(data: xr.Dataset, cost: str) -> xr.DataArray:
    """Return a cumulative cost, or "iteration", at the end of each iteration; NaN beyond a run's end."""
    require(data, "cost", cost)
    values = data[cost]
    return xr.where(data["time_slots"].notnull(), values, np.nan) if cost == "iteration" else values


def require(data: xr.Dataset, key: str, name: str) -> None:
    """Refuse the value of a key that names no numerical variable of a result."""
    require_values(data)
    curves = ((str(curve), values) for curve, values in data.data_vars.items() if {*LAST} <= {*values.dims})
    known = ["iteration", *(curve for curve, values in curves if values.dtype.kind in NUMBERS)]
    if name not in known:
        raise OtaflError(key, name, f"must be a variable of the result: {', '.join(known)}")


def marked(data: xr.Dataset, name: str, mark: str) -> bool:
    """Return True if a variable or a swept key has a mark of MARKS, such as "linear"; a result tells its marks."""
    shown = quantity(name)
    return bool(getattr(shown, mark, False)) or (
        not isinstance(shown, Variable) and np.array_equal(data[name].attrs.get(mark, 0), 1)
    )


def _require_number(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise OtaflError(key, value, "must be a real number")


def at_budget(data: xr.Dataset, variable: str, cost: str, budget: float) -> xr.DataArray:
    """Return the last reading of a variable within a budget of a cumulative cost.

    >>> costs = ("seed", "iteration"), [[10.0, 20.0, 30.0]]
    >>> curves = {"loss": (costs[0], [[4.0, 2.0, 1.0]]), "energy": costs, "time_slots": costs}
    >>> at_budget(xr.Dataset(curves, {"iteration": [1, 2, 3]}), "loss", "energy", 25.0).values
    array([2.])

    Arguments:
        variable: name of the variable, such as "loss".
        cost: name of the cost, such as "energy", or "iteration".
        budget: largest cumulative cost that a run may spend, in the cost's unit.

    Returns:
        The readings, in the variable's unit; NaN without a reading within the budget, and for a run that was stopped
        before it used the budget up. Shape [swept keys, seed].

    Raises:
        OtaflError: the result has no such variable or cost, or the budget is no real number.
    """
    require(data, "variable", variable)
    _require_number("budget", budget)
    known = ended(data) | (cumulative(data, cost).max("iteration") >= budget)
    read = (cumulative(data, cost) <= budget) & data[variable].notnull()
    last = read.sizes["iteration"] - 1 - read.isel(iteration=slice(None, None, -1)).argmax("iteration")
    return data[variable].isel(iteration=last).where(read.any("iteration") & known).drop_vars("iteration")


def to_target(
    data: xr.Dataset, target: float, cost: str, variable: str = "loss", reached: str = "held"
) -> xr.DataArray:
    """Return the cumulative cost at which a variable reaches a target: a loss from above, an accuracy from below.

    >>> costs = ("seed", "iteration"), [[10.0, 20.0, 30.0]]
    >>> curves = {"loss": (costs[0], [[4.0, 2.0, 1.0]]), "energy": costs, "time_slots": costs}
    >>> to_target(xr.Dataset(curves, {"iteration": [1, 2, 3]}), 2.5, "energy").values
    array([20.])

    Arguments:
        target: value of the variable to reach, in its unit.
        cost: name of the cost, such as "energy", or "iteration".
        variable: name of the variable, such as "test_accuracy".
        reached: "first": the first reading within the target counts, even if the next one leaves it, as a gap does that
            changes its sign. "held": the running median must stay within the target; the first reading within it from
            then on counts. The median is over 11 readings (of short runs fewer), or over the readings from 7/8 to 9/8
            of an iteration's number if these are more.

    Returns:
        The cost, in its unit; infinite if the target is not reached, and for a run that diverges later; NaN for a run
        that was stopped before. Shape [swept keys, seed].

    Raises:
        OtaflError: ``reached`` is neither word, or the target no real number; or variable or cost is unknown.
    """
    if reached not in ("held", "first"):
        raise OtaflError("reached", reached, "must be 'held' or 'first'")
    require(data, "variable", variable)
    _require_number("target", target)
    find = _held if reached == "held" else _first
    values, goal = (-data[variable], -target) if marked(data, variable, "rises") else (data[variable], target)
    dims = [["iteration"], ["iteration"], []]
    at = xr.apply_ufunc(find, values, data["iteration"], goal, input_core_dims=dims, vectorize=True)
    if reached == "held" and "outcome" in data:
        at = at.where(data["outcome"] != "diverged", -1)
    costs = cumulative(data, cost).isel(iteration=at.clip(min=0))
    known = ended(data) | ((at >= 0) & (reached == "first"))
    return costs.where(at >= 0, np.inf).where(known).drop_vars("iteration", errors="ignore")


def _first(values: np.ndarray, iterations: np.ndarray, goal: float) -> int:
    """Return the index of the first reading that is at most a goal; -1: none is."""
    within = values <= goal
    return int(within.argmax()) if within.any() else -1


def _held(values: np.ndarray, iterations: np.ndarray, goal: float) -> int:
    """Return the index of the first reading within a goal from which on the running median stays there; -1: none."""
    read = np.flatnonzero(~np.isnan(values))
    within = values[read] <= goal
    outside = np.flatnonzero(~_mostly(within, iterations[read]))
    within[: outside.max(initial=-1) + 1] = False
    return int(read[within.argmax()]) if within.any() else -1


def _mostly(within: np.ndarray, iterations: np.ndarray) -> np.ndarray:
    """Mark readings whose running median is within a goal, as most readings around them are."""
    places, half = np.arange(len(within)), min(HALF_WINDOW, len(within) // SHORT)
    begins = np.searchsorted(iterations, iterations * (1 - AROUND), side="left")
    ends = np.searchsorted(iterations, iterations * (1 + AROUND), side="right")
    begins, ends = np.minimum(begins, places - half).clip(0), np.maximum(ends, places + half + 1).clip(max=len(within))
    counts = np.concatenate([[0], np.cumsum(within)])
    return 2 * (counts[ends] - counts[begins]) > ends - begins


def of_scheme(data: Curves, scheme: str) -> Curves:
    """Return the part of a result, or of readings of one, that is about a scheme."""
    known = [str(name) for name in data.coords["scheme"].values] if "scheme" in data.dims else []
    if scheme not in known:
        rule = f"must be a scheme of the result: {', '.join(known)}" if known else "needs a result of several schemes"
        raise OtaflError("relative_to", scheme, rule)
    return data.isel(scheme=known.index(scheme)).drop_vars(["scheme", "method"], errors="ignore")


def relative(readings: xr.DataArray, scheme: str) -> xr.DataArray:
    """Return readings divided by those of a scheme, point by point and seed by seed; NaN where it has 0 or none."""
    base = of_scheme(readings, scheme)
    return (readings / base.where(np.isfinite(base) & (base != 0))).transpose(*readings.dims)


def not_learnt(data: xr.Dataset) -> list[xr.Dataset]:
    """Return the points of a result whose methods do not learn, of those with at least 8 readings."""
    still = []
    for part in points(data) if "test_accuracy" in data else ():
        mean = part["test_accuracy"].where(ended(part), drop=True).mean("seed").dropna("iteration").values
        if len(mean) >= SHORT and mean.max() < min(mean[0] + RISEN, HIGH):
            still.append(part)
    return still


def on_grid(data: xr.Dataset, variable: str, cost: str, grid: np.ndarray) -> np.ndarray:
    """Return a variable as a step function of a cumulative cost, read at the points of a grid.

    Arguments:
        variable: name of the variable, such as "loss".
        cost: name of the cost, or "iteration".
        grid: values of the cost, in its unit. Shape [grid].

    Returns:
        The variable in its unit; NaN before the first reading and beyond the last. Shape [swept keys, seed, grid].

    Raises:
        OtaflError: the result has no such variable or cost, or points are no real numbers.
    """
    require(data, "variable", variable)
    grid = np.atleast_1d(grid)
    if grid.dtype.kind not in "iuf":
        raise OtaflError("grid", grid[0], "must be a real number")
    costs, values = xr.broadcast(cumulative(data, cost), data[variable])
    return np.vectorize(_step, signature="(i),(i),(g)->(g)")(costs.values, values.values, grid)


def _step(costs: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    read = ~np.isnan(costs) & ~np.isnan(values)
    costs, values = costs[read], values[read]
    at = np.searchsorted(costs, grid, side="right") - 1
    outside = (at < 0) | (grid > costs[-1] if len(costs) else True)
    return np.where(outside, np.nan, np.append(values, np.nan)[at])


def tidy(data: xr.Dataset) -> "pd.DataFrame":
    """Return a result as a long pandas frame, with a row for each iteration that a run has recorded.

    Returns:
        Frame with the columns ``scheme``, ``method``, swept keys, ``seed``, ``iteration``, and then the variables in
        their units. A variable that a scheme lacks is NaN; so is a test accuracy where it was not read.

    Raises:
        OtaflError: the argument is no dataset.
    """
    require_dataset(data)
    wide = data.to_dataframe().reset_index()
    keys = [name for name in data.dims if name not in COORDINATES]
    columns = ["scheme", "method", *keys, "seed", "iteration", *data.data_vars]
    recorded = wide.dropna(subset=[name for name in CURVES if name in data], how="all").reset_index(drop=True)
    return recorded.reindex(columns=[name for name in columns if name in wide])
