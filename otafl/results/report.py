"""Report of a result as one HTML page: study, figure, costs, outcomes, scenario and environment."""

import os
from collections.abc import Iterator
from pathlib import Path

import jinja2
import numpy as np
import xarray as xr
from markupsafe import Markup

from otafl.errors import OtaflError
from otafl.metrics.result_variables import VARIABLES
from otafl.plain_text import printable
from otafl.results import analysis, figure_files, plot_kinds, result_file, summary
from otafl.results.matplotlib_setup import Figure
from otafl.results.result_schema import COMPUTE_TIME, require_seeds
from otafl.results.style import heading
from otafl.results.svg import inline
from otafl.results.time_text import duration
from otafl.scenario.axis_quantities import quantity
from otafl.system.whole_files import atomic_file

MARKS = {"completed": "", "diverged": "✗", "stopped": "…", "failed": "!"}
"""Mark before the seed of a run, by its outcome."""
OF_STUDY = ("title", "name", "scenario_file", "scenario")
"""Attributes of a result that describe the study; the others describe the environment."""
Fact = tuple[str, str]
"""Term and its description."""
Drawing = tuple[str, Markup]
"""Caption and SVG element of a figure."""


def write(result: Path, path: Path | None = None) -> Path:
    """Write the report of a result's file as an HTML page, beside the result unless a path is given; return its path.

    Raises:
        OtaflError: the file is no result of otafl, or the report cannot be written, or would replace the result.
    """
    path = path or result.parent / f"{result.stem}.html"
    if os.path.realpath(path) == os.path.realpath(result):
        raise OtaflError("--out", str(path), "must be another file than the result")
    return save(result_file.load(result), path)


def save(data: xr.Dataset, path: Path) -> Path:
    """Write the report of a result as an HTML page; return its path.

    Raises:
        OtaflError: the file cannot be written.
    """
    text = page(data)
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def page(data: xr.Dataset) -> str:
    """Return the report of a result as an HTML page that loads no other file; equal results give equal pages.

    Raises:
        OtaflError: it has no values, lacks the dimension of seeds or iterations, or has no scenario.
    """
    require_seeds(data)
    result_file.about(data)  # which refuses a dataset without a scenario
    name = str(data.attrs["name"])
    with np.errstate(over="ignore", invalid="ignore"):
        return _template().render(
            title=str(data.attrs.get("title", "")) or name,
            name=name,
            study=[*_fixed(data), *_swept(data), *_plan(data)],
            result_figure=_result_figure(data),
            panels=list(_panels(data)),
            keys=list(map(heading, summary.keys(data))),
            costs=summary.of_result(data),
            marks=MARKS,
            counts=zip(*np.unique(data["outcome"], return_counts=True), strict=True),
            points=[(summary.labels(data, point), *_ends(point["outcome"])) for point in analysis.points(data)],
            compute_time=_compute_time(data),
            scenario=str(data.attrs["scenario"]),
            origin=str(data.attrs.get("scenario_file", name)),
            environment=[(key.replace("_", " "), value) for key, value in data.attrs.items() if key not in OF_STUDY],
        )


def _template() -> jinja2.Template:
    """Return the template of the page, into which texts come escaped and without control characters."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value), "\n\t"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html")


def _fixed(data: xr.Dataset) -> Iterator[Fact]:
    """Yield the problem, the data, the number of workers and the model, if all runs share them."""
    about = result_file.about(data)
    keys = {"Problem": "problem.kind", "Data": "problem.dataset", "Workers": "federation.workers"}
    if about.classifies:
        keys["Model"] = "problem.model"
    yield from ((term, str(about.fixed[key])) for term, key in keys.items() if key in about.fixed)


def _swept(data: xr.Dataset) -> Iterator[Fact]:
    for name in summary.keys(data):
        yield heading(name), ", ".join(map(str, np.atleast_1d(data[name].values)))


def _plan(data: xr.Dataset) -> Iterator[Fact]:
    variable, target = result_file.about(data).target
    seeds = data["seed"].values
    yield "Runs", f"{data['outcome'].size:,}, of {data['iteration'].values[-1]:,} iterations at most"
    yield "Seeds", f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])
    yield "Target", f"{variable.replace('_', ' ')} {'≥' if VARIABLES[variable].rises else '≤'} {target:g}"


def _value(name: str, value: object) -> str:
    """Return a value of a swept key in words."""
    shown = quantity(name)
    return f"{shown.long_name} = {value}" + ("" if shown.unit == "1" else f" {shown.unit}")


def _result_figure(data: xr.Dataset) -> Drawing:
    figure = figure_files.figure(data)
    axes = _axes(figure)
    statistic = plot_kinds.caption(data, result_file.about(data).plot, analysis.swept(data))
    return f"{axes}: {statistic}", inline(figure, "figure", axes)


def _panels(data: xr.Dataset) -> Iterator[Drawing]:
    """Yield the panels of learning curves that the result's figure does not show."""
    statistic = plot_kinds.caption(data, result_file.about(data).plot, ())
    for number, part in enumerate(figure_files.panels(data)):
        figure, point = figure_files.learning_curves(part), _point(data, part)
        axes = _axes(figure)
        title = f"{axes}, {point}" if point else axes
        yield point or f"{axes}: {statistic}", inline(figure, f"panel{number}", title)


def _axes(figure: Figure) -> str:
    """Return the names of a figure's axes, such as "Loss against channel uses"."""
    ax, x = figure.axes[0], figure.axes[0].get_xlabel()
    inside = x[0].lower() + x[1:] if x[1:2].islower() else x
    return " ".join(f"{ax.get_ylabel()} against {inside}".split())


def _point(data: xr.Dataset, part: xr.Dataset) -> str:
    """Return the values of the swept keys of a part of a result, in words."""
    fixed = [name for name in summary.keys(data) if name not in part.dims]
    return ", ".join(_value(name, part[name].item()) for name in fixed)


def _ends(outcomes: xr.DataArray) -> tuple[str, list[tuple[int, str]]]:
    """Return the outcomes of the runs of a point: counts in words, and the outcome of each seed."""
    names, counts = np.unique(outcomes, return_counts=True)
    words = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
    return words, list(zip(outcomes["seed"].values, outcomes.values, strict=True))


def _compute_time(data: xr.Dataset) -> list[Fact]:
    """Return the computing time of the runs; nothing if the result has none."""
    if COMPUTE_TIME not in data or not data[COMPUTE_TIME].notnull().any():
        return []
    times = data[COMPUTE_TIME]
    slowest = times.isel(times.argmax(list(times.dims)))
    where = ", ".join(_value(name, slowest[name].item()) for name in (*summary.keys(data), "seed"))
    return [
        ("Total", duration(times.sum().item())),
        ("Mean of a run", duration(times.mean().item())),
        ("Slowest run", f"{duration(slowest.item())}: {where}"),
    ]
