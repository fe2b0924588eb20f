"""Readings of a result: what a budget buys, and what a target costs."""

import math
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import xarray as xr

from otafl.engine.outcome import FINAL
from otafl.errors import OtaflError
from otafl.results.result_schema import NUMBERS, require_dataset
from otafl.variables import VARIABLES

HALF_WINDOW, AROUND = 5, 1 / 8
"""Which readings count for the running median at one: so many before and after it, and those of an eighth of its
iterations, so that where noise keeps a curve below a target for good, a few readings above it do not count."""
SHORT = 8
"""Of runs with fewer readings, so many for each of them, fewer count."""
RISEN, HIGH = 0.02, 0.5
"""Less than the first is no rise of an accuracy, of which those above the second need none."""


def swept(data: xr.Dataset) -> list[str]:
    """Names of the swept keys of a result."""
    return [str(name) for name in data["loss"].dims if name not in ("seed", "iteration")]


def points(data: xr.Dataset) -> Iterator[xr.Dataset]:
    """Every swept point of a result, its keys as scalar coordinates."""
    dims = [name for name in data.dims if name not in ("seed", "iteration")]
    for index in np.ndindex(*(data.sizes[name] for name in dims)):
        yield data.isel(dict(zip(dims, index, strict=True)))


def ended(data: xr.Dataset) -> xr.DataArray:
    """Return whether each run has completed or diverged, and goes on no more. Shape of the outcomes, bool."""
    return data["outcome"].isin(FINAL) if "outcome" in data else xr.DataArray(True)


def cumulative(data: xr.Dataset, cost: str) -> xr.DataArray:
    """A cumulative cost of every iteration; ``cost`` is one of the ledger's variables or "iteration"."""
    require(data, "cost", cost)
    values = data[cost]
    return xr.where(data["time_slots"].notnull(), values, np.nan) if cost == "iteration" else values


def require(data: xr.Dataset, key: str, name: str) -> None:
    """Refuse what is no number of a result's iterations.

    Raises:
        OtaflError: names those that are, or there is no result.
    """
    require_dataset(data)
    known = ["iteration", *(one for one in VARIABLES if one in data and data[one].dtype.kind in NUMBERS)]
    if name not in known:
        raise OtaflError(key, name, f"must be a variable of the result: {', '.join(known)}")


def _require_number(key: str, value: Any) -> None:
    """Refuse a value that is no real number, or not a number at all.

    Raises:
        OtaflError: names the key and the value.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise OtaflError(key, value, "must be a real number")


def at_budget(data: xr.Dataset, variable: str, cost: str, budget: float) -> xr.DataArray:
    """A variable where it was last read within a budget of a cumulative cost; NaN where it never was, and of runs that
    were stopped before they used it up.

    Raises:
        OtaflError: a variable or cost that the result does not have, a budget that is no real number.
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
    """The cumulative cost at which a variable comes to ``target``, a loss from above, a test accuracy from below;
    infinite where it does not, and for runs that diverge later; NaN where it is not known, as a run was stopped before.

    Arguments:
        reached: "held": at the first reading within the target of those from which on the running median stays within
            it, of 11 readings (of short runs fewer), or of an eighth of the iterations before and after where these
            are more; "first": at the first one, though it may leave again at once, as a gap does that changes its sign.

    Raises:
        OtaflError: another ``reached``, a variable or cost that the result does not have, a target that is no real
            number.
    """
    if reached not in ("held", "first"):
        raise OtaflError("reached", reached, "must be 'held' or 'first'")
    require(data, "variable", variable)
    _require_number("target", target)
    find = _held if reached == "held" else _first
    rises = VARIABLES[variable].rises
    values, goal = (-data[variable], -target) if rises else (data[variable], target)
    dims = [["iteration"], ["iteration"], []]
    at = xr.apply_ufunc(find, values, data["iteration"], goal, input_core_dims=dims, vectorize=True)
    if reached == "held" and "outcome" in data:
        at = at.where(data["outcome"] != "diverged", -1)
    found = cumulative(data, cost).isel(iteration=at.clip(min=0))
    known = ended(data) | ((at >= 0) & (reached == "first"))
    return found.where(at >= 0, np.inf).where(known).drop_vars("iteration", errors="ignore")


def _first(values: np.ndarray, iterations: np.ndarray, goal: float) -> int:
    """Place of the first reading that is at most a goal; -1: nowhere."""
    within = np.flatnonzero(values <= goal)
    return int(within[0]) if len(within) else -1


def _held(values: np.ndarray, iterations: np.ndarray, goal: float) -> int:
    """Place of the first reading within a goal after which the running median stays there; -1: nowhere."""
    kept = np.flatnonzero(~np.isnan(values))
    if not len(kept):
        return -1
    outside = np.flatnonzero(~_mostly(values[kept] <= goal, iterations[kept]))
    start = outside[-1] + 1 if len(outside) else 0
    found = _first(values[kept][start:], iterations[kept][start:], goal)
    return int(kept[start + found]) if found >= 0 else -1


def _mostly(within: np.ndarray, iterations: np.ndarray) -> np.ndarray:
    """Mark readings whose running median is within a goal: most of those around them are."""
    places, half = np.arange(len(within)), min(HALF_WINDOW, len(within) // SHORT)
    begins = np.searchsorted(iterations, iterations * (1 - AROUND), side="left")
    ends = np.searchsorted(iterations, iterations * (1 + AROUND), side="right")
    begins, ends = np.minimum(begins, places - half).clip(0), np.maximum(ends, places + half + 1).clip(max=len(within))
    counts = np.concatenate([[0], np.cumsum(within)])
    return 2 * (counts[ends] - counts[begins]) > ends - begins


def not_learnt(data: xr.Dataset) -> list[xr.Dataset]:
    """Points whose mean test accuracy stays low and where it began, over so many readings that it ought to rise."""
    found = []
    for part in points(data) if "test_accuracy" in data else ():
        mean = part["test_accuracy"].where(ended(part), drop=True).mean("seed").dropna("iteration").values
        if len(mean) >= SHORT and mean.max() < min(mean[0] + RISEN, HIGH):
            found.append(part)
    return found


def on_grid(data: xr.Dataset, variable: str, cost: str, grid: np.ndarray) -> np.ndarray:
    """A variable as a step function of a cumulative cost, read at the points of a grid.

    Before the first reading's cost and beyond the last one's it is NaN. Shape [..., seed, grid].

    Raises:
        OtaflError: a variable or cost that the result does not have, or a point that is no real number.
    """
    require(data, "variable", variable)
    for point in (grid := np.atleast_1d(grid)):
        _require_number("grid", point)
    costs, values = xr.broadcast(cumulative(data, cost), data[variable])
    flat = zip(costs.values.reshape(-1, costs.shape[-1]), values.values.reshape(-1, values.shape[-1]), strict=True)
    return np.stack([_step(x, y, grid) for x, y in flat]).reshape(*values.shape[:-1], len(grid))


def _step(costs: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    kept = ~np.isnan(costs) & ~np.isnan(values)
    costs, values = costs[kept], values[kept]
    at = np.searchsorted(costs, grid, side="right") - 1
    outside = (at < 0) | (grid > costs[-1] if len(costs) else True)
    return np.where(outside, np.nan, np.append(values, np.nan)[at])
