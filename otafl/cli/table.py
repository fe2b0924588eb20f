"""Command that writes the table of results."""

import os
from pathlib import Path
from typing import Annotated, Literal

import tyro

from otafl.cli.arguments import ResultFiles
from otafl.cli.terminal import remarks, say
from otafl.errors import OtaflError

TextForm = Literal["csv", "latex", "markdown"]


def _option(metavar: str, help: str, default: str) -> object:
    return tyro.conf.arg(metavar=metavar, help=help, help_behavior_hint=f"(default: {default})")


TARGET = _option("NUMBER", "value of the first variable whose costs are listed", "the scenario's target")
BUDGET = _option("NUMBER ...", "budgets of the cost, in its unit, at which variables are read", "the figure's")
VARIABLE = _option("NAME ...", "variables that are read, such as loss", "the target's")
COST = _option("NAME", "cost of the budgets and of the target, such as energy", "the figure's, and all of the target")
REFERENCE = _option("SCHEME", "scheme to which differences are taken, seed by seed", "no differences")
STATISTIC = _option("mean|median", "statistic over seeds", "the figure's, or the mean")
FORMAT = _option("csv|latex|markdown", "form of the table", "by the suffix of --out, or markdown")


def table(
    results: ResultFiles,
    target: Annotated[float | None, TARGET] = None,
    budget: Annotated[tuple[float, ...], BUDGET] = (),
    variable: Annotated[tuple[str, ...], VARIABLE] = (),
    cost: Annotated[str | None, COST] = None,
    reference: Annotated[str | None, REFERENCE] = None,
    statistic: Annotated[Literal["mean", "median"] | None, STATISTIC] = None,
    format: Annotated[TextForm | None, FORMAT] = None,
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help="file in place of the terminal")] = None,
) -> None:
    """Print a table of results: costs of a target, readings at budgets, differences, with intervals of 95%."""
    from otafl.results import result_file
    from otafl.results.table import table as table_of
    from otafl.results.table_formats import FORMATS, SUFFIXES

    if not results:
        raise OtaflError("RESULT.nc", "", "must name a result, or several")
    if out and os.path.realpath(out) in map(os.path.realpath, results):
        raise OtaflError("--out", str(out), "must be another file than the result")
    if out and not format and out.suffix not in SUFFIXES:
        raise OtaflError("--out", str(out), f"must end in {', '.join(SUFFIXES)}, or --format must name the form")
    with remarks():
        keys = {"target": target, "budgets": budget, "variables": variable, "cost": cost}
        rows = table_of(*map(result_file.load, results), **keys, reference=reference, statistic=statistic)
    text = FORMATS[format or (SUFFIXES.get(out.suffix) if out else None) or "markdown"](rows)
    _write(text, out)


def _write(text: str, out: Path | None) -> None:
    """Print a text, or write it to a file, whole or not at all, and print the path."""
    from otafl.system.whole_files import atomic_file

    if out is None:
        say(text, end="")
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    say(out)
