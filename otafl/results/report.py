"""Report of a result as one HTML page: study, figure, costs, outcomes, scenario and environment."""

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring, tostring

import jinja2
import numpy as np
import xarray as xr
from markupsafe import Markup

from otafl.errors import OtaflError
from otafl.metrics.result_variables import VARIABLES
from otafl.plain_text import duration, printable
from otafl.results import analysis, figure_files, plot, result_file, summary
from otafl.results.matplotlib_setup import Figure, matplotlib, plt
from otafl.results.result_schema import COMPUTE_TIME, require_seeds
from otafl.results.style import STYLE, heading
from otafl.scenario.dotted_keys import quantity
from otafl.system.whole_files import atomic_file

MARKS = {"completed": "", "at_target": "✓", "diverged": "✗", "stopped": "…", "failed": "!"}
"""Mark before the seed of a run, by its outcome."""
OF_STUDY = ("title", "name", "scenario_file", "scenario")
"""Attributes of a result that describe the study; the others describe the environment."""
ANONYMOUS = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata that are left out of a drawing."""
NAMES = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')
"""Pattern of the beginning of a name of a drawing's part."""


def write(result: Path, path: Path | None = None) -> Path:
    """Write the report of a result's file as an HTML page, beside the result or at a path; return the page's path."""
    path = path or result.parent / f"{result.stem}.html"
    if os.path.realpath(path) == os.path.realpath(result):
        raise OtaflError("--out", str(path), "must be another file than the result")
    return save(result_file.load(result), path)


def save(data: xr.Dataset, path: Path) -> Path:
    text = page(data)
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def page(data: xr.Dataset) -> str:
    """Return the report of a result as an HTML page that loads no other file; equal results give equal pages."""
    require_seeds(data)
    result_file.about(data)  # which refuses a dataset without a scenario
    name = str(data.attrs["name"])
    with np.errstate(over="ignore", invalid="ignore"):
        return _template().render(
            title=str(data.attrs.get("title", "")) or name,
            name=name,
            study=list(_study(data)),
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


def _study(data: xr.Dataset) -> Iterator[tuple[str, str]]:
    """Yield terms and descriptions: what runs share, values of the swept keys, the number of runs, and the target."""
    about = result_file.about(data)
    keys = {"Problem": "problem.kind", "Data": "problem.dataset", "Workers": "federation.workers"}
    if about.classifies:
        keys["Model"] = "problem.model"
    yield from ((term, str(about.fixed[key])) for term, key in keys.items() if key in about.fixed)
    for name in summary.keys(data):
        yield heading(name), ", ".join(map(str, np.atleast_1d(data[name].values)))
    variable, target = about.target
    seeds = data["seed"].values
    yield "Runs", f"{data['outcome'].size:,}, of {data['iteration'].values[-1]:,} iterations at most"
    yield "Seeds", f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])
    yield "Target", f"{variable.replace('_', ' ')} {'≥' if VARIABLES[variable].rises else '≤'} {target:g}"


def _values(point: xr.Dataset | xr.DataArray, names: list[str]) -> str:
    parts = []
    for name in names:
        unit = quantity(name).unit
        parts.append(f"{quantity(name).long_name} = {point[name].item()}" + ("" if unit == "1" else f" {unit}"))
    return ", ".join(parts)


def _result_figure(data: xr.Dataset) -> tuple[str, Markup]:
    figure = figure_files.figure(data)
    axes = _axes(figure)
    statistic = plot.caption(data, result_file.about(data).plot, analysis.swept(data))
    return f"{axes}: {statistic}", _inline(figure, "figure", axes)


def _panels(data: xr.Dataset) -> Iterator[tuple[str, Markup]]:
    """Yield the panels of learning curves that the result's figure does not show, each with its caption."""
    statistic = plot.caption(data, result_file.about(data).plot, ())
    for number, part in enumerate(figure_files.panels(data)):
        figure = figure_files.learning_curves(part)
        point, axes = _values(part, [name for name in summary.keys(data) if name not in part.dims]), _axes(figure)
        title = f"{axes}, {point}" if point else axes
        yield point or f"{axes}: {statistic}", _inline(figure, f"panel{number}", title)


def _inline(figure: Figure, name: str, title: str) -> Markup:
    """Return a figure as an SVG element, whose parts have names that begin with one of its own, and close it."""
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "otafl"}):
        figure.savefig(text, format="svg", transparent=True, metadata=ANONYMOUS)
    plt.close(figure)
    drawing = fromstring(NAMES.sub(f"{name}-", text.getvalue()))
    for part in drawing.iter():  # inside HTML, names have no namespaces
        part.tag = part.tag.rpartition("}")[2]
        part.attrib = {key.rpartition("}")[2]: value for key, value in part.attrib.items()}
    heading = Element("title")
    heading.text = printable(title)
    drawing.insert(0, heading)
    drawing.set("role", "img")
    return Markup(tostring(drawing, encoding="unicode", method="html"))


def _axes(figure: Figure) -> str:
    """Return the names of a figure's axes, such as "Loss against channel uses"."""
    ax, x = figure.axes[0], figure.axes[0].get_xlabel()
    inside = x[0].lower() + x[1:] if x[1:2].islower() else x
    return " ".join(f"{ax.get_ylabel()} against {inside}".split())


def _ends(outcomes: xr.DataArray) -> tuple[str, list[tuple[int, str]]]:
    """Return the outcomes of the runs of a point: counts in words, and the outcome of each seed."""
    names, counts = np.unique(outcomes, return_counts=True)
    words = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
    return words, list(zip(outcomes["seed"].values, outcomes.values, strict=True))


def _compute_time(data: xr.Dataset) -> list[tuple[str, str]]:
    if COMPUTE_TIME not in data or not data[COMPUTE_TIME].notnull().any():
        return []
    times = data[COMPUTE_TIME]
    slowest = times.isel(times.argmax(list(times.dims)))
    where = _values(slowest, [*summary.keys(data), "seed"])
    return [
        ("Total", duration(times.sum().item())),
        ("Mean of a run", duration(times.mean().item())),
        ("Slowest run", f"{duration(slowest.item())}: {where}"),
    ]
