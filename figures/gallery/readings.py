"""Readings of a result: a number for each seed, which claims compare.

A reading takes the part of a result that a claim selects, over seed, iteration and the key that is swept, and its own
arguments. It returns numbers over seed and that key. It is infinite where a loss diverged, or a target was not reached.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr

from otafl.results import analysis


class Bounded(NamedTuple):
    """Numbers, some of which are not known.

    Arguments:
        values: the numbers, infinite where they are not known. Shape [swept key, seed].
        least: what they are at least. Shape [swept key, seed].
    """

    values: xr.DataArray
    least: xr.DataArray

    @classmethod
    def exactly(cls, values: xr.DataArray) -> "Bounded":
        """Return numbers that are all known."""
        return cls(values, values)

    def map(self, function: Callable[[xr.DataArray], xr.DataArray]) -> "Bounded":
        """Return the numbers that a function, which does not fall, makes of these."""
        values = function(self.values)
        return Bounded(values, function(self.least).where(np.isinf(values), values))


def final(data: xr.Dataset, variable: str, last: int = 5, statistic: str = "mean", per: float = 1.0) -> xr.DataArray:
    """Return the mean of a variable over the last iterations.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        last: number of the iterations.
        statistic: "mean", "median", "min" or "max".
        per: number to divide by.
    """
    late = data[variable].isel(iteration=slice(-last, None))
    return _filled(data, variable, getattr(late, statistic)("iteration", skipna=False) / per)


def at(data: xr.Dataset, variable: str, cost: str, budget: float, per: float = 1.0) -> xr.DataArray:
    """Return the last value of a variable within a budget of a cost, which may be "iteration".

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        cost: name of the cost, such as "channel_uses".
        budget: largest cost, in its unit.
        per: number to divide by.
    """
    return _filled(data, variable, analysis.at_budget(data, variable, cost, budget) / per)


def cost(data: xr.Dataset, cost: str, to: float, of: str = "loss", reached: str = "held") -> Bounded:
    """Return the cost at which a variable reaches a target; one that is not reached costs more than the whole run.

    Arguments:
        data: the part of a result.
        cost: name of the cost, such as "time_slots", or "iteration".
        to: the target, in the variable's unit.
        of: name of the variable.
        reached: "held": the running median must stay there; "first": the first value there counts.
    """
    needed = analysis.to_target(data, to, cost, of, reached)
    whole = analysis.cumulative(data, cost).max("iteration")
    ended = data["outcome"] == "diverged" if "outcome" in data else False
    return Bounded(needed, needed.where(np.isfinite(needed) | ended, whole))


def mean(data: xr.Dataset, variable: str, first: int = 1, last: int | None = None, per: float = 1.0) -> xr.DataArray:
    """Return the mean of a variable over iterations.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        first: number of the first iteration.
        last: number of the last iteration; None: that of the run.
        per: number to divide by.
    """
    return data[variable].sel(iteration=slice(first, last)).mean("iteration") / per


def _filled(data: xr.Dataset, variable: str, values: xr.DataArray) -> xr.DataArray:
    """Return numbers with the worst one for those that are missing, as runs diverged or had no budget."""
    return values.fillna(-np.inf if analysis.marked(data, variable, "rises") else np.inf)
