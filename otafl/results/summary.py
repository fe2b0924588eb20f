"""Summary of a result: the costs of the target, and the last readings, at each swept point."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr
from rich import box
from rich.table import Table
from rich.text import Text

from otafl.metrics.result_variables import COSTS
from otafl.plain_text import printable
from otafl.results import analysis, result_file
from otafl.results.result_schema import require_seeds
from otafl.results.statistics import over_seeds
from otafl.scenario.stored_scenario import About

FINAL = "mean and standard deviation over seeds"
CAPTIONS = {
    "median": f"costs: median (quartiles) over seeds; final: {FINAL}",
    "mean": f"{FINAL}, costs over those that reach the target",
}
MOST_REMARKS = 3
"""Largest number of points that remarks name."""
HOLLOW = "○"
"""Mark before the cost of a target that is reached and left again."""
MARKS = {HOLLOW: f"; {HOLLOW} the target is reached and left again", " [": "; [k/n] k of n seeds reach the target"}
"""Ends of the caption, by the mark in a cell that they explain."""
SAME = 1e-9
"""Share by which the ratio of two costs may differ where they are in proportion."""
NONE = "–"
"""Entry of a table without any value."""


class Summary(NamedTuple):
    """Costs of a target and last readings, as text: rows of values of swept keys, and cells as "1,200 [3/5]"."""

    title: str
    caption: str
    keys: list[str]
    headings: list[str]
    rows: list[tuple[list[str], list[str]]]


def of_result(data: xr.Dataset) -> Summary:
    """Return the summary of a result: costs of its target and last readings at each swept point, as text."""
    require_seeds(data)
    about = result_file.about(data)
    what = about.target[0].replace("_", " ")
    shown, metrics = columns(data), [name for name in about.fixed["run.metrics"] if name in {*data} - {about.target[0]}]
    rows = []
    for part in analysis.points(data):
        finals = [_final(part, name) for name in (about.target[0], *metrics)]
        rows.append((labels(data, part), [*(_cost(part, about, cost) for cost in shown), *finals]))
    explained = [end for mark, end in MARKS.items() if any(mark in cell for _, cells in rows for cell in cells)]
    words = [str(data[name].attrs.get("long_name") or name) for name in metrics]
    finals = [what, *(name[:1].lower() + name[1:] for name in words)]
    return Summary(
        title=f"what a {what} of {about.target[1]:g} takes",
        caption=CAPTIONS[about.plot.statistic or "median"] + "".join(explained),
        keys=keys(data),
        headings=[*(COSTS[cost].heading for cost in shown), *(f"Final {words}" for words in finals)],
        rows=rows,
    )


def columns(data: xr.Dataset) -> list[str]:
    """Return the names of a summary's costs; one in proportion to another is there only if the figure has it."""
    plot = result_file.about(data).plot
    costs = {name: cost.beside for name, cost in COSTS.items() if name in data and cost.heading}
    drawn = (plot.x, plot.cost)
    return [name for name, beside in costs.items() if not beside or name in drawn or not _follows(data, name, beside)]


def _follows(data: xr.Dataset, cost: str, other: str) -> bool:
    """Return True if a cost of a result is in proportion to another one throughout."""
    ours, theirs = data[cost].values, data[other].values
    if np.any((theirs == 0) & (ours > 0)):
        return False
    share = ours[theirs > 0] / theirs[theirs > 0]
    share = share[np.isfinite(share)]
    return not len(share) or bool(np.ptp(share) <= SAME * share.max())


def remarks(data: xr.Dataset) -> list[str]:
    """Return remarks on a result: methods that do not learn, and runs whose energy or time is not finite."""
    still = analysis.not_learnt(data)
    names = [", ".join(labels(data, part)) for part in still[:MOST_REMARKS]]
    more = [f"{len(still) - MOST_REMARKS} more points do not learn either"] if len(still) > MOST_REMARKS else []
    learnt = [f"{name}: the test accuracy stays where it began; it does not learn" for name in names] + more
    reason = "energy or time is not finite; a worker has no gain, or a number is beyond what programs hold"
    wrong = [part for part in analysis.points(data) if _unknown(part)]
    return learnt + [f"{', '.join(labels(data, part))}: {reason}" for part in wrong[:MOST_REMARKS]]


def _unknown(part: xr.Dataset) -> bool:
    """Return True if the time of some run is infinite, or its energy NaN in an iteration that it has done."""
    done = part["loss"].notnull()
    infinite = [np.isinf(part[name]).any() for name in ("time_slots", "time") if name in part]
    return any(infinite) or bool((done & part["energy"].isnull()).any())


def table(data: xr.Dataset) -> Table:
    """Return the summary of a result as a table of rich for a terminal."""
    summary, name = of_result(data), data.attrs["name"]
    table = Table(title=_text(f"{name}: {summary.title}"), box=box.SIMPLE_HEAD, caption=_text(summary.caption))
    for heading in summary.keys:
        table.add_column(_text(heading), no_wrap=True)
    for heading in summary.headings:
        table.add_column(_text(heading), justify="right", no_wrap=True)
    for labels, cells in summary.rows:
        table.add_row(*map(_text, labels), *cells)
    return table


def _text(words: str) -> Text:
    """Return a text that any console prints as it is."""
    return Text(printable(words))


def keys(data: xr.Dataset) -> list[str]:
    """Return the names of a result's swept keys, or ["scheme"] if there are none."""
    return analysis.swept(data) or ["scheme"]


def labels(data: xr.Dataset, point: xr.Dataset) -> list[str]:
    return [str(point[name].item()) for name in keys(data)]


def _cost(part: xr.Dataset, about: About, cost: str) -> str:
    """Return the cost of the target as text, over all seeds that have ended, infinite for one that misses it."""
    variable, target = about.target
    part = part.isel(seed=analysis.ended(part).values)
    if not part.sizes["seed"] or part[cost].isnull().all():
        return NONE
    costs = analysis.to_target(part, target, cost, variable, about.plot.reached).values
    reached = np.isfinite(costs)
    share = "" if reached.all() or len(reached) == 1 else f" [{reached.sum()}/{len(reached)}]"
    if about.plot.statistic == "mean" and reached.any():
        return _mean(costs[reached], _number) + share
    median = over_seeds(costs, "median")
    if np.isfinite(median.centre):
        low, centre, high = map(_number, map(float, (median.low, median.centre, median.high)))
        return (centre if len(reached) == 1 else f"{centre} ({low} … {high})") + share
    passing = float(np.median(analysis.to_target(part, target, cost, variable, "first").values))
    if np.isfinite(passing):
        return f"{HOLLOW} {_number(passing)}{share}"
    return "not reached" + (share if reached.any() else "")


def _final(part: xr.Dataset, variable: str) -> str:
    """Return the mean of the last readings of runs that have ended, and other outcomes, as text."""
    values = analysis.at_budget(part, variable, "time_slots", np.inf).values
    odd = [str(outcome) for outcome in np.unique(part["outcome"]) if outcome not in ("completed", "at_target")]
    finite = values[np.isfinite(values)]
    number = "{:.3f}".format if analysis.marked(part, variable, "linear") else _number
    text = _mean(finite, number) if len(finite) else NONE
    if "diverged" in odd and (part["outcome"] == "diverged").all():
        return "diverged"
    return ", ".join([text, *odd])


def _mean(values: np.ndarray, number: Callable[[float], str]) -> str:
    mean = over_seeds(values)
    deviation = f" ± {number(float(mean.high - mean.centre))}" if len(values) > 1 else ""
    return number(float(mean.centre)) + deviation


def _number(value: float) -> str:
    return f"{value:,.0f}" if 10 <= abs(value) < 1e7 else f"{value:.2g}"
