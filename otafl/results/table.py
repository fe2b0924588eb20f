"""Tables of results for papers: costs of a target, readings at budgets, and differences to a scheme, over seeds."""

import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from otafl.errors import OtaflError, Remark
from otafl.metrics.result_variables import COSTS, ITERATION
from otafl.results import analysis, result_file, summary
from otafl.results.statistics import least_seeds, over_seeds
from otafl.results.style import PHYSICAL, attributes, heading, label
from otafl.settings.plot import value_name


class Column(NamedTuple):
    """Column of a table: its heading, unit, and the words for a statistic that is not finite, as "not reached"."""

    heading: str
    unit: str
    absent: str


class Cell(NamedTuple):
    """Statistic over the seeds of a point, with its interval of 95% confidence, in the unit of its column.

    Arguments:
        centre: mean or median; not finite where too many seeds have no finite value.
        low, high: ends of the interval; NaN if there is none, as of a single seed.
        count: number of seeds with a finite value.
        runs: number of seeds whose runs have ended; the others are left out.
    """

    centre: float
    low: float
    high: float
    count: int
    runs: int


class ResultTable(NamedTuple):
    """Table of results: a caption, and a row for each swept point: texts of its keys' values, and cells by column."""

    caption: str
    keys: list[str]
    columns: list[Column]
    rows: list[tuple[list[str], list[Cell]]]
    statistic: str


class Asked(NamedTuple):
    """Content of a table: arguments of ``table``, and ``reached``, costs of the target and texts of its figure."""

    target: float | None
    budgets: Sequence[float]
    variables: Sequence[str]
    cost: str
    costs: Sequence[str]
    reached: str
    reference: str | None
    statistic: str
    labels: dict[str, str]

    def text(self, value: float | str) -> str:
        texts = {value_name(name): text for name, text in self.labels.items()}
        return texts.get(value_name(value), str(value))


class Reading(NamedTuple):
    """Values of a column of a table, and True for the runs that count. Shape [swept keys, seed] each."""

    column: Column
    values: xr.DataArray
    counted: xr.DataArray


def table(
    *results: xr.Dataset,
    target: float | None = None,
    budgets: Sequence[float] = (),
    variables: Sequence[str] = (),
    cost: str | Sequence[str] | None = None,
    reference: str | None = None,
    statistic: str | None = None,
) -> ResultTable:
    """Return a table of results: statistics over seeds with intervals of 95%, in a row for each swept point.

    Without a target and budgets, the figure of the first result decides: readings at its budgets if it has some, and no
    other cost is named, else the costs of the scenario's target and the last readings. Runs that were stopped or failed
    are left out.

    Arguments:
        results: results of ``otafl.run`` or ``result_file.load``, datasets over swept keys, seed and iteration.
        target: value to reach, whose costs stand in the table, in the unit of the first variable.
        budgets: budgets of ``cost``, in its unit, at which variables are read.
        variables: names of the variables; left out, the one of the scenario's target.
        cost: name of the cost of budgets and of the target, or names of several costs of the target; left out, the
            figure's for budgets, and all costs of the summary for the target.
        reference: scheme to whose values the differences of the others are taken, seed by seed.
        statistic: "mean" or "median"; left out, the one of the figure's keys, or the mean. A seed that misses the
            target has an infinite cost, so the mean exists if all seeds reach it, and the median if most do.

    Raises:
        OtaflError: a result lacks a variable, a cost or the reference, a number is not real, or results that have no
            target in common are given without one.
    """
    if not results:
        raise OtaflError("result", "", "must be a result, or several")
    plot = result_file.about(results[0]).plot
    costs = (cost,) if isinstance(cost, str) else tuple(cost or ())
    if budgets and len(costs) > 1:
        raise OtaflError("cost", ", ".join(costs), "must be one where there are budgets, which are of it")
    given = target, budgets, variables or (result_file.about(results[0]).target[0],), "".join(costs[:1])
    chosen = statistic or plot.statistic or "mean"
    asked = _completed(results, Asked(*given, costs, plot.reached, reference, chosen, plot.labels))
    keys = list(dict.fromkeys(key for data in results for key in summary.keys(data)))
    several = len(results) > 1
    parts, rows = [list(_readings(data, asked)) for data in results], []
    columns = _common_columns(parts)
    for name, data, readings in zip(result_file.names(results), results, parts, strict=True):
        ended = analysis.ended(data).values
        if count := int((~ended).sum()):
            rule = f"{count} of {ended.size} runs have not ended, and are left out"
            warnings.warn(f"{name}: {rule}", Remark, stacklevel=2)
        rows += [([name] * several + texts, cells) for texts, cells in _rows(data, readings, keys, asked)]
    caption = _caption(asked, analysis.marked(results[0], asked.variables[0], "rises"), rows)
    return ResultTable(caption, ["Result"] * several + list(map(heading, keys)), columns, rows, asked.statistic)


def _common_columns(parts: list[list[Reading]]) -> list[Column]:
    """Return the columns of results, and refuse results whose variables have other meanings."""
    first, *others = [[reading.column for reading in readings] for readings in parts]
    for column, other in (pair for columns in others for pair in zip(first, columns, strict=True)):
        if column != other:
            raise OtaflError("variable", column.heading, f"is not the same in all results: {other.heading}")
    return first


def _completed(results: Sequence[xr.Dataset], asked: Asked) -> Asked:
    """Return the content of a table with the first result's own choices where none was given."""
    plot, (variable, target) = result_file.about(results[0]).plot, result_file.about(results[0]).target
    if ITERATION.name in asked.variables:
        raise OtaflError("variable", ITERATION.name, "must be a variable of the result, not its iterations")
    if unknown := [name for name in asked.costs if name not in COSTS]:
        raise OtaflError("cost", unknown[0], f"must be one of {', '.join(COSTS)}")
    if asked.target is None and not asked.budgets:
        budgets = plot.budgets if plot.kind == "at_budget" and asked.cost in ("", plot.cost) else (np.inf,)
        goal = target if budgets == (np.inf,) and asked.variables[0] == variable else None
        asked = asked._replace(target=goal, budgets=budgets)
        known = {result_file.about(data).target for data in (results if goal else ())}
        if len(known) > 1:
            words = " and ".join(sorted(f"{name} {value:g}" for name, value in known))
            raise OtaflError("target", None, f"must be given, as those of the results differ: {words}")
    shown = [name for name in COSTS if any(name in summary.columns(data) for data in results)]
    costs = asked.costs or tuple(name for name in shown if all(name in data for data in results))
    return asked._replace(cost=asked.cost or plot.cost, costs=costs)


def _readings(data: xr.Dataset, asked: Asked) -> Iterator[Reading]:
    """Yield what stands in the columns of a table; runs of schemes without the variable do not count."""
    ended = analysis.ended(data)
    for column, values, known in (*_costs(data, asked), *_at_budgets(data, asked)):
        brought = known.any(["seed", "iteration"])
        reading = Reading(column, values, (ended & brought).broadcast_like(values))
        yield reading
        if asked.reference is not None:
            yield _difference(reading, asked.reference, asked)


def _costs(data: xr.Dataset, asked: Asked) -> Iterator[tuple[Column, xr.DataArray, xr.DataArray]]:
    variable, target = asked.variables[0], asked.target
    if target is None:
        return
    for name in asked.costs:
        costs = analysis.to_target(data, target, name, variable, asked.reached)
        words = COSTS[name].heading.split(" [")[0] or COSTS[name].long_name
        unit = COSTS[name].unit if COSTS[name].unit in PHYSICAL else ""
        known = data[variable].notnull() & data[name].notnull()
        yield Column(f"{words} to {variable.replace('_', ' ')} {target:g}", unit, "not reached"), costs, known


def _at_budgets(data: xr.Dataset, asked: Asked) -> Iterator[tuple[Column, xr.DataArray, xr.DataArray]]:
    """Yield the variables at each budget, or at the end of the runs."""
    for name, budget in itertools.product(asked.variables, asked.budgets):
        values = analysis.at_budget(data, name, asked.cost, budget)
        words, unit = attributes(data, name)
        last = f"Final {words[:1].lower()}{words[1:]}"
        title = f"{words} at {label(asked.cost, budget)}" if np.isfinite(budget) else last
        yield Column(title, unit.strip(" []"), "no value"), values, data[name].notnull()


def _difference(reading: Reading, reference: str, asked: Asked) -> Reading:
    """Return the differences to a scheme under the same seed, of which the scheme itself has none."""
    column, values, counted = reading
    if "scheme" not in values.dims or reference not in values["scheme"]:
        known = ", ".join(map(str, np.atleast_1d(values["scheme"].values)))
        raise OtaflError("reference", reference, f"must be one of the schemes of each result, two or more: {known}")
    both = counted & counted.sel(scheme=reference, drop=True) & (counted["scheme"] != reference)
    less = values - values.sel(scheme=reference, drop=True)
    title = f"{column.heading}, minus {asked.text(reference)}"
    return Reading(column._replace(heading=title), less, both.transpose(*values.dims))


def _rows(
    data: xr.Dataset, readings: list[Reading], keys: list[str], asked: Asked
) -> Iterator[tuple[list[str], list[Cell]]]:
    """Yield the values of swept keys as text, empty for a key that the result lacks, and the cells of each point."""
    dims = analysis.swept(data)
    arrays = [[part.transpose(*dims, "seed").values for part in reading[1:]] for reading in readings]
    for index in np.ndindex(*(data.sizes[name] for name in dims)):
        point = data.isel(dict(zip(dims, index, strict=True)))
        texts = [asked.text(point[name].item()) if name in point.coords else "" for name in keys]
        yield texts, [_cell(values[index][counted[index]], asked.statistic) for values, counted in arrays]


def _cell(values: np.ndarray, statistic: str) -> Cell:
    if not len(values):
        return Cell(np.nan, np.nan, np.nan, 0, 0)
    centre, low, high = map(float, over_seeds(values, statistic, "interval"))
    return Cell(centre, low, high, int(np.isfinite(values).sum()), len(values))


def _caption(asked: Asked, rises: bool, rows: list[tuple[list[str], list[Cell]]]) -> str:
    """Return the explanation of a table's numbers; the target of a variable that rises is a lower bound."""
    what, cells = asked.variables[0].replace("_", " "), [cell for _, cells in rows for cell in cells]
    least = least_seeds(asked.statistic, "interval")
    few = any(cell.runs < least and np.isfinite(cell.centre) for cell in cells)
    parts = [] if asked.target is None else [f"costs to {what} {'≥' if rises else '≤'} {asked.target:g}"]
    parts += [f"{asked.statistic} over seeds with its 95% interval"]
    parts += ["differences are taken seed by seed"] * (asked.reference is not None)
    parts += [f"an interval needs {least} seeds"] * few
    parts += ["(k of n) says that k of n seeds have a value"] * any(cell.count < cell.runs for cell in cells)
    return "; ".join(parts)
