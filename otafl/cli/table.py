"""Command that writes the table of results."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from otafl.cli.arguments import ResultFiles
from otafl.cli.terminal import say
from otafl.cli.words import described
from otafl.errors import OtaflError

if TYPE_CHECKING:
    import xarray as xr

TARGET = described("NUMBER", "value of the first variable whose costs are listed", "the scenario's target")
BUDGET = described("NUMBER ...", "budgets of the cost, in its unit, at which variables are read", "the figure's")
VARIABLE = described("NAME ...", "variables that are read, such as loss", "the target's")
COST = described("NAME ...", "costs of the target, or the one of the budgets", "all of the target, and the figure's")
REFERENCE = described("SCHEME", "scheme to which differences are taken, seed by seed", "no differences")
STATISTIC = described("mean|median", "statistic over seeds", "the figure's, or the mean")
FORMAT = described("csv|latex|markdown", "form of the table", "by the suffix of --out, or markdown")


def table(
    results: ResultFiles,
    target: Annotated[float | None, TARGET] = None,
    budget: Annotated[tuple[float, ...], BUDGET] = (),
    variable: Annotated[tuple[str, ...], VARIABLE] = (),
    cost: Annotated[tuple[str, ...], COST] = (),
    reference: Annotated[str | None, REFERENCE] = None,
    statistic: Annotated[Literal["mean", "median"] | None, STATISTIC] = None,
    format: Annotated[Literal["csv", "latex", "markdown"] | None, FORMAT] = None,
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help="file in place of the terminal")] = None,
) -> None:
    """Print a table of results: costs of a target, readings at budgets, differences, with intervals of 95%."""
    from otafl.results.table import table as table_of
    from otafl.results.table_formats import FORMATS, SUFFIXES
    from otafl.system.whole_files import atomic_file

    if out and os.path.realpath(out) in map(os.path.realpath, results):
        raise OtaflError("--out", str(out), "must be another file than the result")
    if out and not format and out.suffix not in SUFFIXES:
        raise OtaflError("--out", str(out), f"must end in {', '.join(SUFFIXES)}, or --format must name the form")
    keys = {"target": target, "budgets": budget, "variables": variable, "cost": cost}
    rows = table_of(*loaded(results), **keys, reference=reference, statistic=statistic)
    text = FORMATS[format or (SUFFIXES[out.suffix] if out else "markdown")](rows)
    if out is None:
        say(text, end="")
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    say(out)


def loaded(files: tuple[Path, ...]) -> "list[xr.Dataset]":
    """Return the results in files, of which there must be one."""
    if not files:
        raise OtaflError("RESULT.nc", "", "must name a result, or several")
    from otafl.results import result_file

    return [result_file.load(path) for path in files]
