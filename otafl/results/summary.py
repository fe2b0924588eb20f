"""The summary of a result: what each method took to reach the target, and where it ended."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from rich import box
from rich.markup import escape
from rich.table import Table

from otafl.results import analysis, file
from otafl.variables import COSTS, VARIABLES

CAPTION = "mean and standard deviation over seeds"
MARK = "; * some seed reaches the target and leaves it again"
COLUMNS = {name: cost.heading for name, cost in COSTS.items() if cost.heading}
"""Headings of the costs that the summary shows."""


@dataclass(frozen=True)
class Row:
    """A swept point: the values of its keys, what it took to reach the target, and where it ended."""

    labels: list[str]
    cells: list[str]


@dataclass(frozen=True)
class Summary:
    """Costs to the target and where runs ended, mean ± deviation, with a row for each swept point.

    A cost is taken over the seeds that reach the target; [3/5] says that three of five do, and * that some leave it
    later again.

    Arguments:
        title: the target.
        caption: what the numbers are.
        keys: what names the points.
        headings: of the cells.
        rows: one a point.
    """

    title: str
    caption: str
    keys: list[str]
    headings: list[str]
    rows: list[Row]


def summary(data: xr.Dataset) -> Summary:
    """The summary of a result."""
    variable, target = file.about(data).target
    what = variable.replace("_", " ")
    left = any(_leaves_again(part, variable, target) for part in analysis.points(data))
    return Summary(
        title=f"what a {what} of {target:g} takes",
        caption=CAPTION + (MARK if left else ""),
        keys=keys(data),
        headings=[*COLUMNS.values(), f"Final {what}"],
        rows=[Row(labels(data, part), _cells(part, variable, target)) for part in analysis.points(data)],
    )


def table(data: xr.Dataset) -> Table:
    """The summary of a result as a table for a terminal."""
    read = summary(data)
    name = escape(str(data.attrs["name"]))
    grid = Table(title=f"{name}: {read.title}", box=box.SIMPLE_HEAD, caption=read.caption)
    for heading in read.keys:
        grid.add_column(heading, no_wrap=True)
    for heading in read.headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    for row in read.rows:
        grid.add_row(*map(escape, row.labels), *row.cells)
    return grid


def keys(data: xr.Dataset) -> list[str]:
    """What names a result's points: the swept keys, or the method where there is none."""
    return analysis.swept(data) or ["scheme"]


def labels(data: xr.Dataset, point: xr.Dataset) -> list[str]:
    """The values of a result's keys at one of its points."""
    return [str(point[name].item()) for name in keys(data)]


def _cells(part: xr.Dataset, variable: str, target: float) -> list[str]:
    return [*(_cost(part, variable, target, cost) for cost in COLUMNS), _final(part, variable)]


def _cost(part: xr.Dataset, variable: str, target: float, cost: str) -> str:
    values = analysis.to_target(part, target, cost, variable).values
    reached = values[~np.isnan(values)]
    if not len(reached):
        return "not reached"
    share = "" if len(reached) == len(values) else f" [{len(reached)}/{len(values)}]"
    mark = " *" if cost == "iteration" and _leaves_again(part, variable, target) else ""
    return _spread(reached) + share + mark


def _leaves_again(part: xr.Dataset, variable: str, target: float) -> bool:
    """Whether some seed misses the target after it has reached it."""
    there = analysis.reached(part, target, variable)
    missed = ~there & part[variable].notnull()
    return bool((missed & (there.cumsum("iteration") > 0)).any())


def _final(part: xr.Dataset, variable: str) -> str:
    """The last readings, and how many runs did not end as they should."""
    values = analysis.at_budget(part, variable, "time_slots", np.inf).values
    odd = [str(outcome) for outcome in np.unique(part["outcome"]) if outcome != "completed"]
    finite = values[np.isfinite(values)]
    as_text = _accuracy if VARIABLES[variable].linear else _spread
    text = as_text(finite) if len(finite) else "–"
    if "diverged" in odd and (part["outcome"] == "diverged").all():
        return "diverged"
    return ", ".join([text, *odd])


def _accuracy(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {values.std():.3f}" if len(values) > 1 else f"{values[0]:.3f}"


def _spread(values: np.ndarray) -> str:
    if np.isinf(values).any():
        return "inf"
    return f"{_number(values.mean())} ± {_number(values.std())}" if len(values) > 1 else _number(values[0])


def _number(value: float) -> str:
    return f"{value:,.0f}" if 10 <= abs(value) < 1e7 else f"{value:.2g}"
