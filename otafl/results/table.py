"""Tables of results for papers: costs of a target, readings at budgets, and differences to a scheme, over seeds."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.metrics.variables import COSTS, ITERATION
from otafl.results import analysis, file, summary
from otafl.results.statistics import least_seeds, over_seeds
from otafl.results.style import PHYSICAL, attributes, capitalised, label
from otafl.scenario.axis_quantities import quantity
from otafl.settings.plot import value_name

SHARES = "(k of n) says that k of n seeds have a value"
"""Part of the caption if a share of seeds occurs."""


class Column(NamedTuple):
    """Column of a table: its heading, and the words for a statistic that does not exist.

    Arguments:
        heading: name of the quantity, such as "Energy to 0.9".
        unit: its unit, such as "J"; empty without one.
        absent: words in place of a statistic that is not finite, such as "not reached".
    """

    heading: str
    unit: str
    absent: str


class Cell(NamedTuple):
    """Statistic over the seeds of a point, with its interval of 95% confidence, in the unit of its column.

    Arguments:
        centre: mean or median; not finite where too many seeds have no finite value.
        low: lower end of the interval; NaN if there is none, as of a single seed.
        high: upper end of the interval; NaN if there is none.
        count: number of seeds with a finite value.
        runs: number of seeds whose runs have ended; the others are left out.
    """

    centre: float
    low: float
    high: float
    count: int
    runs: int


class Table(NamedTuple):
    """Table of one or several results, with a row for each swept point.

    Arguments:
        caption: explanation of the numbers.
        keys: headings of the swept keys, with their units.
        columns: description of each column of numbers.
        rows: for each point, texts of the values of the swept keys, and a cell for each column.
        statistic: statistic over seeds, "mean" or "median".
    """

    caption: str
    keys: list[str]
    columns: list[Column]
    rows: list[tuple[list[str], list[Cell]]]
    statistic: str


class Asked(NamedTuple):
    """Content of a table.

    Arguments:
        target: value that the first of the variables is to reach, in its unit; None: no costs of a target.
        budgets: budgets of the cost, in its unit, at which variables are read.
        variables: names of the variables that are read.
        cost: name of the cost that budgets are of.
        costs: names of the costs of the target.
        reached: "held" or "first", as of ``analysis.to_target``.
        reference: scheme from which the others differ; None: no differences.
        statistic: statistic over seeds, "mean" or "median".
        labels: texts by name of a scheme or value, as of the figure's key ``labels``.
    """

    target: float | None
    budgets: tuple[float, ...]
    variables: tuple[str, ...]
    cost: str
    costs: tuple[str, ...]
    reached: str
    reference: str | None
    statistic: str
    labels: dict[str, str]

    def text(self, value: Any) -> str:
        """Return the text of a scheme or of a swept key's value.

        Arguments:
            value: name of the scheme, or the value.
        """
        given = {value_name(name): text for name, text in self.labels.items()}
        return given.get(value_name(value), str(value))


def table(
    *results: xr.Dataset,
    target: float | None = None,
    budgets: Sequence[float] = (),
    variables: Sequence[str] = (),
    cost: str | None = None,
    reference: str | None = None,
    statistic: str | None = None,
) -> Table:
    """Return a table of results: statistics over seeds with intervals of 95%, in a row for each swept point.

    Without a target and budgets, the figure of the first result decides: readings at its budgets if it has some, and no
    other cost is named, else the costs of the scenario's target and the last readings. Runs that were stopped or failed
    are left out.

    Arguments:
        results: results of ``otafl.run`` or ``file.load``, datasets over swept keys, seed and iteration.
        target: value to reach, whose costs stand in the table, in the unit of the first variable.
        budgets: budgets of ``cost``, in its unit, at which variables are read.
        variables: names of the variables; left out, the one of the scenario's target.
        cost: name of the cost of budgets and of the target; left out, the figure's for budgets, and all costs of the
            summary for the target.
        reference: scheme to whose values the differences of the others are taken, seed by seed.
        statistic: "mean" or "median"; left out, the one of the figure's keys, or the mean. A seed that misses the
            target has an infinite cost, so the mean exists if all seeds reach it, and the median if most do.

    Raises:
        OtaflError: a result lacks a variable, a cost or the reference, a number is not real, or results that have no
            target in common are given without one.
    """
    if not results:
        raise OtaflError("result", "", "must be a result, or several")
    given = tuple(budgets), tuple(variables)
    asked = _completed(results, Asked(target, *given, cost or "", (), "", reference, statistic or "", {}))
    dims = list(dict.fromkeys(key for data in results for key in summary.keys(data)))
    several = len(results) > 1
    parts, rows = [list(_readings(data, asked)) for data in results], []
    columns = _common_columns(parts)
    for name, data, read in zip(file.names(results), results, parts, strict=True):
        _remark_unfinished(name, data)
        rows += [([name] * several + _labels(data, dims, at, asked), cells) for at, cells in _rows(data, read, asked)]
    keys = ["Result"] * several + [_heading(key) for key in dims]
    every, least = [cell for _, cells in rows for cell in cells], least_seeds(asked.statistic, "interval")
    shares = any(cell.count < cell.runs for cell in every)
    few = any(cell.runs < least and np.isfinite(cell.centre) for cell in every)
    said = [*_caption(asked, analysis.marked(results[0], asked.variables[0], "rises"))]
    said += [*[f"an interval needs {least} seeds"] * few, *[SHARES] * shares]
    return Table("; ".join(said), keys, columns, rows, asked.statistic)


def _common_columns(parts: list[list[tuple[Column, xr.DataArray, xr.DataArray]]]) -> list[Column]:
    """Return the columns of results, and refuse results whose variables have other meanings."""
    first, *others = [[column for column, *_ in read] for read in parts]
    for column, other in ((one, another) for columns in others for one, another in zip(first, columns, strict=True)):
        if column != other:
            raise OtaflError("variable", column.heading, f"is not the same in all results: {other.heading}")
    return first


def _remark_unfinished(name: str, data: xr.Dataset) -> None:
    """Remark on runs of a result that were stopped or failed, which are left out."""
    ended = analysis.ended(data).values
    if count := int((~ended).sum()):
        warnings.warn(f"{name}: {count} of {ended.size} runs have not ended, and are left out", Remark, stacklevel=3)


def _completed(results: Sequence[xr.Dataset], asked: Asked) -> Asked:
    """Return the content of a table with the first result's own choices where none was given."""
    plot, (variable, target) = file.about(results[0]).plot, file.about(results[0]).target
    chosen = asked.variables or (variable,)
    for name in chosen:
        if name == ITERATION.name:
            raise OtaflError("variable", name, "must be a variable of the result, not its iterations")
    if asked.cost and asked.cost not in COSTS:
        raise OtaflError("cost", asked.cost, f"must be one of {', '.join(COSTS)}")
    if asked.target is None and not asked.budgets:
        own = plot.budgets if plot.kind == "at_budget" and asked.cost in ("", plot.cost) else (np.inf,)
        goal = target if own == (np.inf,) and chosen[0] == variable else None
        asked = asked._replace(target=goal, budgets=own)
        _require_one_target(results if goal else results[:1])
    shown = [name for name in COSTS if any(name in summary.columns(data) for data in results)]
    costs = (asked.cost,) if asked.cost else tuple(name for name in shown if all(name in data for data in results))
    said = asked._replace(variables=chosen, cost=asked.cost or plot.cost, costs=costs, reached=plot.reached)
    return said._replace(statistic=asked.statistic or plot.statistic or "mean", labels=plot.labels)


def _require_one_target(results: Sequence[xr.Dataset]) -> None:
    """Refuse results whose scenarios have different targets."""
    known = sorted({f"{name} {value:g}" for name, value in (file.about(data).target for data in results)})
    if len(known) > 1:
        raise OtaflError("target", None, f"must be given, as those of the results differ: {' and '.join(known)}")


def _readings(data: xr.Dataset, asked: Asked) -> Iterator[tuple[Column, xr.DataArray, xr.DataArray]]:
    """Yield the columns of a table: description, values, and True for runs that count. Shape [swept keys, seed]."""
    ended = analysis.ended(data)
    for column, values, brought in (*_costs(data, asked), *_at_budgets(data, asked)):
        there = (ended & brought).broadcast_like(values)
        yield column, values, there
        if asked.reference is not None:
            yield _difference(column, values, there, asked)


def _costs(data: xr.Dataset, asked: Asked) -> Iterator[tuple[Column, xr.DataArray, xr.DataArray]]:
    """Yield the costs of the target, with True for points whose schemes have the variable."""
    if asked.target is None:
        return
    for name in asked.costs:
        found = analysis.to_target(data, asked.target, name, asked.variables[0], asked.reached)
        words = COSTS[name].heading.split(" [")[0] or COSTS[name].long_name
        column = Column(f"{words} to {asked.target:g}", _unit(COSTS[name].unit), "not reached")
        yield column, found, _brought(data, asked.variables[0])


def _at_budgets(data: xr.Dataset, asked: Asked) -> Iterator[tuple[Column, xr.DataArray, xr.DataArray]]:
    """Yield the variables at each budget, or at the end of the runs, with True for points whose schemes have them."""
    for name in asked.variables:
        for budget in asked.budgets:
            found = analysis.at_budget(data, name, asked.cost, budget)
            words, unit = attributes(data, name)
            heading = f"{words} at {label(asked.cost, budget)}" if np.isfinite(budget) else f"Final {_small(words)}"
            yield Column(heading, unit.strip(" []"), "no value"), found, _brought(data, name)


def _brought(data: xr.Dataset, variable: str) -> xr.DataArray:
    """Return True for each point of the sweep whose runs have values of a variable. Shape [swept keys]."""
    return data[variable].notnull().any(["seed", "iteration"])


def _difference(
    column: Column, values: xr.DataArray, there: xr.DataArray, asked: Asked
) -> tuple[Column, xr.DataArray, xr.DataArray]:
    """Return the column of the differences to a scheme under the same seed, of which the scheme itself has none."""
    reference = asked.reference
    if "scheme" not in values.dims or reference not in values["scheme"]:
        known = ", ".join(map(str, np.atleast_1d(values["scheme"].values)))
        raise OtaflError("reference", reference, f"must be one of the schemes of each result, two or more: {known}")
    both = there & there.sel(scheme=reference, drop=True) & (there["scheme"] != reference)
    less = values - values.sel(scheme=reference, drop=True)
    return (
        column._replace(heading=f"{column.heading}, minus {asked.text(reference)}"),
        less,
        both.transpose(*values.dims),
    )


def _rows(data: xr.Dataset, read: list, asked: Asked) -> Iterator[tuple[dict[str, int], list[Cell]]]:
    """Yield the cells of each swept point, with its index by swept key."""
    dims = analysis.swept(data)
    arrays = [
        (values.transpose(*dims, "seed").values, there.transpose(*dims, "seed").values) for _, values, there in read
    ]
    for index in np.ndindex(*(data.sizes[name] for name in dims)):
        cells = [_cell(values[index][there[index]], asked.statistic) for values, there in arrays]
        yield dict(zip(dims, index, strict=True)), cells


def _cell(values: np.ndarray, statistic: str) -> Cell:
    """Return the statistic of some values, one for each seed that counts."""
    if not len(values):
        return Cell(np.nan, np.nan, np.nan, 0, 0)
    found = over_seeds(values, statistic, "interval")
    ends = float(found.low), float(found.high)
    return Cell(float(found.centre), *ends, int(np.isfinite(values).sum()), len(values))


def _labels(data: xr.Dataset, dims: list[str], at: dict[str, int], asked: Asked) -> list[str]:
    """Return the values of swept keys at a point of a result, as text; empty for a key that the result lacks."""
    point = data.isel(at)
    return [asked.text(point[name].item()) if name in point.coords else "" for name in dims]


def _heading(key: str) -> str:
    """Return the name of a swept key in words, with its unit."""
    shown = quantity(key)
    unit = _unit(shown.unit)
    return capitalised(shown.long_name) + (f" [{unit}]" if unit else "")


def _unit(unit: str) -> str:
    return unit if unit in PHYSICAL else ""


def _small(words: str) -> str:
    return words[:1].lower() + words[1:]


def _caption(asked: Asked, rises: bool) -> list[str]:
    """Return the explanation of a table's numbers, in parts; the target of a variable that rises is a lower bound."""
    what = asked.variables[0].replace("_", " ")
    costs = [f"costs to {what} {'≥' if rises else '≤'} {asked.target:g}"] if asked.target is not None else []
    pairs = ["differences are taken seed by seed"] if asked.reference is not None else []
    return [*costs, f"{asked.statistic} over seeds with its 95% interval", *pairs]
