"""The summary of a result: what each method took to reach the target, and where it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from rich import box
from rich.markup import escape
from rich.table import Table

from otafl.results import analysis, file
from otafl.results.analysis import not_learnt
from otafl.results.statistics import over_seeds
from otafl.scenario.stored_scenario import About
from otafl.variables import COSTS, VARIABLES

FINAL = "mean and standard deviation over seeds"
CAPTIONS = {
    "median": f"costs: median (quartiles) over seeds; final: {FINAL}",
    "mean": f"{FINAL}, costs over those that come to the target",
}
MOST_REMARKS = 3
HOLLOW = "○"
NONE = "–"
"""Entry of the table where no run has a value."""
MARK = f"; {HOLLOW} the target is met and left again"
COLUMNS = {name: cost.heading for name, cost in COSTS.items() if cost.heading}
"""Headings of the costs that the summary shows."""


@dataclass(frozen=True)
class Summary:
    """Costs to the target and where runs ended, with a row for each swept point.

    [3/5] says that three of five seeds come to the target and stay there; a cost behind a hollow circle is that of
    meeting it and leaving it again.

    Arguments:
        title: the target.
        caption: what the numbers are.
        keys: what names the points.
        headings: of the cells.
        rows: of each point the values of its keys, and then what it took to reach the target and where it ended.
    """

    title: str
    caption: str
    keys: list[str]
    headings: list[str]
    rows: list[tuple[list[str], list[str]]]


def summary(data: xr.Dataset) -> Summary:
    """The summary of a result."""
    about = file.about(data)
    what = about.target[0].replace("_", " ")
    rows = [(labels(data, part), _cells(part, about)) for part in analysis.points(data)]
    left = any(HOLLOW in cell for _, cells in rows for cell in cells)
    return Summary(
        title=f"what a {what} of {about.target[1]:g} takes",
        caption=CAPTIONS[about.plot.statistic or "median"] + (MARK if left else ""),
        keys=keys(data),
        headings=[*COLUMNS.values(), f"Final {what}"],
        rows=rows,
    )


def remarks(data: xr.Dataset) -> list[str]:
    """Remarks on what somebody may not have meant, seen from the result."""
    still = not_learnt(data)
    names = [", ".join(labels(data, part)) for part in still[:MOST_REMARKS]]
    more = [f"neither do {len(still) - MOST_REMARKS} more points"] if len(still) > MOST_REMARKS else []
    learnt = [f"{name}: the test accuracy stays where it began; it does not learn" for name in names] + more
    return learnt + _unknown_energy(data)


def _unknown_energy(data: xr.Dataset) -> list[str]:
    """Points in which some run has an energy that is no number, or an infinite cost."""
    reason = "a worker has no gain, or a number is beyond what programs hold"
    wrong = [part for part in analysis.points(data) if _unknown(part)]
    return [f"{', '.join(labels(data, part))}: energy or time is not finite; {reason}" for part in wrong[:MOST_REMARKS]]


def _unknown(part: xr.Dataset) -> bool:
    """Tell whether time is infinite in some run, or energy NaN in an iteration that it has done."""
    done = part["loss"].notnull()
    return bool((np.isinf(part["time_slots"]) | (done & part["energy"].isnull())).any())


def table(data: xr.Dataset) -> Table:
    """The summary of a result as a table for a terminal."""
    read = summary(data)
    name = escape(str(data.attrs["name"]))
    grid = Table(title=f"{name}: {read.title}", box=box.SIMPLE_HEAD, caption=read.caption)
    for heading in read.keys:
        grid.add_column(heading, no_wrap=True)
    for heading in read.headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    for names, cells in read.rows:
        grid.add_row(*map(escape, names), *cells)
    return grid


def keys(data: xr.Dataset) -> list[str]:
    """Names of what tells a result's points apart: the swept keys, or the method where there is none."""
    return analysis.swept(data) or ["scheme"]


def labels(data: xr.Dataset, point: xr.Dataset) -> list[str]:
    """The values of a result's keys at one of its points."""
    return [str(point[name].item()) for name in keys(data)]


def _cells(part: xr.Dataset, about: About) -> list[str]:
    return [*(_cost(part, about, cost) for cost in COLUMNS), _final(part, about.target[0])]


def _cost(part: xr.Dataset, about: About, cost: str) -> str:
    """Cost of reaching the target as text, over all seeds that have ended; infinite for one that does not reach it."""
    variable, target = about.target
    part = part.isel(seed=analysis.ended(part).values)
    if not part.sizes["seed"]:
        return NONE
    found = analysis.to_target(part, target, cost, variable, about.plot.reached).values
    there = np.isfinite(found)
    share = "" if there.all() or not there.any() else f" [{there.sum()}/{len(there)}]"
    if about.plot.statistic == "mean" and there.any():
        return _mean(found[there], _number) + share
    read = over_seeds(found, "median")
    if np.isfinite(read.centre):
        low, centre, high = map(_number, (read.low, read.centre, read.high))
        return (centre if len(there) == 1 else f"{centre} ({low} … {high})") + share
    once = analysis.to_target(part, target, cost, variable, "first").values
    passing = np.median(once)
    return (f"{HOLLOW} {_number(passing)}" if np.isfinite(passing) else "not reached") + share


def _final(part: xr.Dataset, variable: str) -> str:
    """Mean of the last values of runs that have ended as text, and outcomes of the others."""
    values = analysis.at_budget(part, variable, "time_slots", np.inf).values
    odd = [str(outcome) for outcome in np.unique(part["outcome"]) if outcome != "completed"]
    finite = values[np.isfinite(values)]
    text = _mean(finite, _accuracy if VARIABLES[variable].linear else _number) if len(finite) else NONE
    if "diverged" in odd and (part["outcome"] == "diverged").all():
        return "diverged"
    return ", ".join([text, *odd])


def _accuracy(value: float) -> str:
    return f"{value:.3f}"


def _mean(values: np.ndarray, number: Callable[[Any], str]) -> str:
    """A mean with the standard deviation of a sample, in words."""
    found = over_seeds(values)
    return number(found.centre) + (f" ± {number(found.high - found.centre)}" if len(values) > 1 else "")


def _number(value: Any) -> str:
    return f"{value:,.0f}" if 10 <= abs(value) < 1e7 else f"{value:.2g}"
