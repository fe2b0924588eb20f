"""Report of a result as one HTML page: study, figure, costs, outcomes, scenario and environment."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import xarray as xr

from otafl.errors import OtaflError
from otafl.metrics.variables import VARIABLES
from otafl.results import analysis, figure_files, file, html, plot_kinds, summary, svg
from otafl.results.html import element
from otafl.results.matplotlib_setup import Figure
from otafl.results.result_schema import COMPUTE_TIME, require_seeds
from otafl.results.style import capitalised
from otafl.results.time_text import duration
from otafl.scenario.axis_quantities import quantity
from otafl.system.whole_files import atomic_file

STYLE = Path(__file__).with_suffix(".css")
"""File of the page's styles."""
MARKS = {"completed": "", "diverged": "✗", "stopped": "…", "failed": "!"}
"""Mark before the seed of a run, by its outcome."""
OF_STUDY = ("title", "name", "scenario_file", "scenario")
"""Attributes of a result that describe the study; the others describe the environment."""


def write(result: Path, path: Path) -> Path:
    """Write the report of a result's file as an HTML page.

    Arguments:
        result: path of the result, a netCDF file.
        path: path of the report.

    Returns:
        Path of the report.

    Raises:
        OtaflError: the file is no result of otafl, or the report cannot be written, or would replace the result.
    """
    if os.path.realpath(path) == os.path.realpath(result):
        raise OtaflError("--out", str(path), "must be another file than the result")
    return save(file.load(result), path)


def save(data: xr.Dataset, path: Path) -> Path:
    """Write the report of a result as an HTML page.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        path: path of the report.

    Returns:
        Path of the report.

    Raises:
        OtaflError: the file cannot be written.
    """
    text = page(data)
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def page(data: xr.Dataset) -> str:
    """Return the report of a result as an HTML page that loads no other file; equal results give equal pages.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.

    Raises:
        OtaflError: it has no values, lacks one of these dimensions, or has no scenario.
    """
    require_seeds(data)
    file.about(data)  # which refuses a dataset without a scenario
    title = str(data.attrs.get("title", "")) or str(data.attrs["name"])
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [_study(data), *_figures(data), _costs(data), _outcomes(data), *_compute_time(data)]
    header = element("header", element("p", f"otafl · {data.attrs['name']}"), element("h1", title))
    return html.document(title, STYLE.read_text("utf-8"), header, *parts, _scenario(data), _environment(data))


def _section(heading: str, *content: html.Content) -> Element:
    return element("section", element("h2", heading), *content)


def _study(data: xr.Dataset) -> Element:
    return _section("Study", html.facts([*_fixed(data), *_swept(data), *_plan(data)]))


def _fixed(data: xr.Dataset) -> Iterator[tuple[str, str]]:
    """Yield the problem, the data, the number of workers and the model, if all runs share them."""
    about = file.about(data)
    keys = {"Problem": "problem.kind", "Data": "problem.dataset", "Workers": "federation.workers"}
    if about.classifies:
        keys["Model"] = "problem.model"
    yield from ((term, str(about.fixed[key])) for term, key in keys.items() if key in about.fixed)


def _swept(data: xr.Dataset) -> Iterator[tuple[str, str]]:
    for name in summary.keys(data):
        yield _heading(name), ", ".join(map(str, np.atleast_1d(data[name].values)))


def _plan(data: xr.Dataset) -> Iterator[tuple[str, str]]:
    variable, target = file.about(data).target
    seeds = data["seed"].values
    yield "Runs", f"{data['outcome'].size:,}, of {data['iteration'].values[-1]:,} iterations at most"
    yield "Seeds", f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])
    yield "Target", f"{variable.replace('_', ' ')} {'≥' if VARIABLES[variable].rises else '≤'} {target:g}"


def _heading(name: str) -> str:
    """Return the name of a swept key in words, with its unit."""
    shown = quantity(name)
    words = capitalised(shown.long_name)
    return words if shown.unit == "1" else f"{words} [{shown.unit}]"


def _value(name: str, value: Any) -> str:
    """Return a value of a swept key in words."""
    shown = quantity(name)
    return f"{shown.long_name} = {value}" + ("" if shown.unit == "1" else f" {shown.unit}")


def _figures(data: xr.Dataset) -> Iterator[Element]:
    asked, parts = file.about(data).plot, enumerate(figure_files.panels(data))
    said = plot_kinds.caption(data, asked, analysis.swept(data))
    yield _section("Figure", _drawn("figure", figure_files.figure(data), said))
    said = plot_kinds.caption(data, asked, ())
    drawn = [_drawn(f"panel{n}", figure_files.learning_curves(part), said, _at(data, part)) for n, part in parts]
    if drawn:
        yield _section("Learning curves", element("div", *drawn, class_="panels"))


def _drawn(name: str, figure: Figure, said: str, where: str = "") -> Element:
    """Return a figure with a caption: ``where``, the swept values that it is for, or else the names of its axes and
    what is drawn of the seeds, ``said``."""
    ax = figure.axes[0]
    axes = " ".join(f"{ax.get_ylabel()} against {_inside(ax.get_xlabel())}".split())
    caption = where or f"{axes}: {said}"
    title = f"{axes}, {where}" if where else axes
    return element("figure", element("figcaption", caption), svg.inline(figure, name, title))


def _inside(words: str) -> str:
    """Return words with a small first letter, as inside a sentence."""
    return words[0].lower() + words[1:] if words[1:2].islower() else words


def _at(data: xr.Dataset, part: xr.Dataset) -> str:
    """Return the values of the swept keys of a part of a result, in words."""
    fixed = [name for name in summary.keys(data) if name not in part.dims]
    return ", ".join(_value(name, part[name].item()) for name in fixed)


def _costs(data: xr.Dataset) -> Element:
    read = summary.summary(data)
    headings = [*map(_heading, read.keys), *read.headings]
    caption = f"{read.title.capitalize()}: {read.caption}"
    return _section("Costs", html.table(caption, headings, read.rows))


def _outcomes(data: xr.Dataset) -> Element:
    headings = [*map(_heading, summary.keys(data)), "Outcomes", "Runs by seed"]
    rows = [(summary.labels(data, point), _ends(point["outcome"])) for point in analysis.points(data)]
    counts = zip(*np.unique(data["outcome"], return_counts=True), strict=True)
    legend = [_run(outcome, f"{outcome}: {count:,}") for outcome, count in counts]
    grid = html.table("How every run ended, with its seed", headings, rows)
    return _section("Outcomes", element("p", *legend, class_="runs legend"), grid)


def _ends(outcomes: xr.DataArray) -> list[html.Content]:
    """Return the outcomes of the runs of a point: counts in words, and one mark for each run."""
    names, counts = np.unique(outcomes, return_counts=True)
    words = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
    runs = zip(outcomes["seed"].values, outcomes.values, strict=True)
    return [words, element("div", *(_run(outcome, str(seed)) for seed, outcome in runs), class_="runs")]


def _run(outcome: str, text: str) -> Element:
    return element("span", f"{MARKS.get(outcome, '?')}{text}", class_=f"run {outcome}", title=outcome)


def _compute_time(data: xr.Dataset) -> Iterator[Element]:
    """Yield the computing time of the runs, if the result has it."""
    if COMPUTE_TIME not in data or not data[COMPUTE_TIME].notnull().any():
        return
    times = data[COMPUTE_TIME]
    slowest = times.isel(times.argmax(list(times.dims)))
    where = ", ".join(_value(name, slowest[name].item()) for name in (*summary.keys(data), "seed"))
    facts = [("Total", duration(times.sum().item())), ("Mean of a run", duration(times.mean().item()))]
    yield _section("Time to compute", html.facts([*facts, ("Slowest run", f"{duration(slowest.item())}: {where}")]))


def _scenario(data: xr.Dataset) -> Element:
    text = element("pre", str(data.attrs["scenario"]))
    origin = element("p", "From ", element("code", str(data.attrs.get("scenario_file", data.attrs["name"]))), ".")
    return _section("Scenario", origin, element("details", element("summary", "Every key, as TOML"), text))


def _environment(data: xr.Dataset) -> Element:
    known = {key: str(value) for key, value in data.attrs.items() if key not in OF_STUDY}
    return _section("Environment", html.facts((key.replace("_", " "), value) for key, value in known.items()))
