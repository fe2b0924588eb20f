"""Readings of a result: what a budget buys, and what a target costs."""

from collections.abc import Collection, Iterator
from typing import TypeVar

import numpy as np
import xarray as xr

from otafl.variables import VARIABLES

Data = TypeVar("Data", xr.Dataset, xr.DataArray)


def swept(data: xr.Dataset) -> list[str]:
    """Names of the swept keys of a result."""
    return [str(name) for name in data["loss"].dims if name not in ("seed", "iteration")]


def points(data: Data, kept: Collection[str] = ("seed", "iteration")) -> Iterator[Data]:
    """Every swept point of a result, with the dimensions that are ``kept`` and the others as scalar coordinates."""
    dims = [name for name in data.dims if name not in kept]
    for index in np.ndindex(*(data.sizes[name] for name in dims)):
        yield data.isel(dict(zip(dims, index, strict=True)))


def cumulative(data: xr.Dataset, cost: str) -> xr.DataArray:
    """A cumulative cost of every iteration; ``cost`` is one of the ledger's variables or "iteration"."""
    values = data[cost]
    return xr.where(data["time_slots"].notnull(), values, np.nan) if cost == "iteration" else values


def at_budget(data: xr.Dataset, variable: str, cost: str, budget: float) -> xr.DataArray:
    """A variable where it was last read within a budget of a cumulative cost; NaN where it never was."""
    read = (cumulative(data, cost) <= budget) & data[variable].notnull()
    last = read.sizes["iteration"] - 1 - read.isel(iteration=slice(None, None, -1)).argmax("iteration")
    return data[variable].isel(iteration=last).where(read.any("iteration")).drop_vars("iteration")


def reached(data: xr.Dataset, target: float, variable: str = "loss") -> xr.DataArray:
    """Where a variable has come to ``target``: a loss from above, a test accuracy from below."""
    return data[variable] >= target if VARIABLES[variable].rises else data[variable] <= target


def to_target(data: xr.Dataset, target: float, cost: str, variable: str = "loss") -> xr.DataArray:
    """The cumulative cost of the first recorded iteration that has ``reached`` a target; NaN where none has."""
    there = reached(data, target, variable)
    return cumulative(data, cost).isel(iteration=there.argmax("iteration")).where(there.any("iteration"))


def on_grid(data: xr.Dataset, variable: str, cost: str, grid: np.ndarray) -> np.ndarray:
    """A variable as a step function of a cumulative cost, read at the points of a grid.

    Before the first reading's cost and beyond the last one's it is NaN. Shape [..., seed, grid].
    """
    costs, values = xr.broadcast(cumulative(data, cost), data[variable])
    flat = zip(costs.values.reshape(-1, costs.shape[-1]), values.values.reshape(-1, values.shape[-1]), strict=True)
    return np.stack([_step(x, y, grid) for x, y in flat]).reshape(*values.shape[:-1], len(grid))


def _step(costs: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    kept = ~np.isnan(costs) & ~np.isnan(values)
    costs, values = costs[kept], values[kept]
    at = np.searchsorted(costs, grid, side="right") - 1
    outside = (at < 0) | (grid > costs[-1] if len(costs) else True)
    return np.where(outside, np.nan, np.append(values, np.nan)[at])
