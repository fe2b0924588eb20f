"""Figures of results by the keys of their scenarios, and files of figures."""

import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from otafl.errors import OtaflError
from otafl.results import analysis, axis_labels, plot, result_file
from otafl.results.matplotlib_setup import Axes, Figure, matplotlib, plt
from otafl.results.style import STYLE, WIDTHS, Labels, drawable, in_order, label, plain, shared_name, short_names
from otafl.scenario.dotted_keys import without
from otafl.settings.plot import Plot, drawn
from otafl.system.whole_files import atomic_file

FORMATS = ("png", "pdf")
MOST_PANELS = 24
"""Largest number of panels of a figure, or of a report's learning curves."""


def figure(*results: xr.Dataset, asked: Plot | None = None) -> Figure:
    """Draw the figure of a result, or of several results in the same axes.

    Arguments:
        results: results of ``otafl.run`` or ``result_file.load``, datasets over swept keys, seed and iteration.
        asked: keys of the figure, table ``plot``; left out, those of the first result's scenario.

    Returns:
        The figure, with a panel for each value of the key ``plot.panels``.

    Raises:
        OtaflError: a key names what a result does not have, or results have no axis in common.
    """
    if not results:
        raise OtaflError("result", "", "must be a result, or several")
    if asked:
        swept = [value for data in results for name in analysis.swept(data) for value in data[name].values.tolist()]
        names = result_file.names(results)
        asked.require_labels([*_texts(results, Plot()), *(names if len(names) > 1 else ()), *swept])
    asked = asked or result_file.about(results[0]).plot
    _require(results, asked)
    given, asked = asked, asked.model_copy(update={"labels": _texts(results, asked)})
    parts = _panels(results[0], asked)
    with matplotlib.rc_context(STYLE):
        figure, grid = _grid(len(parts), asked.columns)
        for ax, value in zip(grid.flat, parts, strict=False):
            _panel(ax, results, asked, value)
        if title := asked.title or _shared(results, given.labels):
            figure.suptitle(drawable(title))
        _place_legend(figure)
        axis_labels.outer_names(figure, grid)
    return figure


def _place_legend(figure: Figure) -> None:
    """Leave the legend inside the only panel of a figure if it hides nothing there, else put it below."""
    longest = max(figure.axes, key=lambda ax: len(ax.get_lines()))
    if len(figure.axes) > 1 or not axis_labels.legend_fits_inside(figure, longest):
        axis_labels.legend_below(figure, longest)


def _grid(panels: int, width: int) -> tuple[Figure, np.ndarray]:
    """Return a figure of the width of 1 or 2 columns, with its panels. Shape [rows, columns], objects."""
    columns = min(panels, 2 * width)
    rows = -(-panels // columns)
    size = (WIDTHS[width], matplotlib.rcParams["figure.figsize"][1] if rows == 1 else 0.4 + 1.9 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, sharex=True, sharey=True)
    for place in range(panels, grid.size):
        grid.flat[place].remove()
        grid.flat[place - columns].tick_params(labelbottom=True)
    return figure, grid


def _schemes(data: xr.Dataset) -> list[str]:
    return [str(name) for name in np.atleast_1d(data["scheme"].values)]


def _shared(results: Sequence[xr.Dataset], labels: Labels) -> str:
    """Return what all schemes share, which their entries leave out, unless all have a text of the user's."""
    schemes = list(dict.fromkeys(itertools.chain.from_iterable(map(_schemes, results))))
    return shared_name(schemes).rstrip("@ ") if {*schemes} - {*labels} else ""


def _texts(results: Sequence[xr.Dataset], asked: Plot) -> dict[str, str]:
    """Return the texts of the legend for all schemes, without what does not tell them apart."""
    schemes = [*map(_schemes, results)]
    distinct = list(dict.fromkeys(itertools.chain.from_iterable(schemes)))
    texts = asked.labels | without(short_names(distinct), asked.labels)
    if len(results) == 1:
        return texts
    of_results = zip(result_file.names(results), schemes, strict=True)
    pairs = [(name, scheme) for name, known in of_results for scheme in texts if scheme in known]
    of_pairs = {f"{name}: {scheme}": f"{plain(name)}: {texts[scheme]}" for name, scheme in pairs}
    return texts | without(of_pairs, asked.labels)


def _panels(data: xr.Dataset, asked: Plot) -> list:
    """Return the values of a swept key that have a panel each; [None]: one panel shows all, as of one value."""
    over = asked.panels
    if not over or (over in data.coords and not data[over].dims):
        return [None]
    rule = asked.why_no_panels(analysis.swept(data))
    if not rule and data.sizes[over] > MOST_PANELS:
        rule = f"has {data.sizes[over]} values, but a figure has at most {MOST_PANELS} panels"
    if rule:
        raise OtaflError("plot.panels", over, rule)
    values = data[over].values.tolist()
    return [values[place] for place in in_order(values, asked.labels)]


def _panel(ax: Axes, results: Sequence[xr.Dataset], asked: Plot, value: float | str | None) -> None:
    """Draw all results on the axes of a panel, at one value of the swept key that panels are for."""
    first = 0
    for data, name in zip(results, result_file.names(results), strict=True):
        if value is not None and asked.panels in data.dims:
            if value not in data[asked.panels].values:
                continue
            data = data.sel({asked.panels: value}, drop=True)
        part = _alone(data) if len(results) == 1 else _named(data, name)
        plot.draw(part, asked, analysis.swept(part), ax, first)
        first += part.sizes.get("scheme", 1)
    variable, target = result_file.about(results[0]).target
    shown = asked.target_line and asked.kind != "to_target" and asked.y == variable and not asked.relative_to
    axis_labels.as_asked(ax, asked, target if shown else None)
    if value is not None:
        ax.set_title(label(asked.panels, value, asked.labels))


def _alone(data: xr.Dataset) -> xr.Dataset:
    """Return a result without the dimension of an only scheme, whose lines need no colour to be told from others."""
    return data.squeeze("scheme") if data.sizes.get("scheme") == 1 else data


def _named(data: xr.Dataset, name: str) -> xr.Dataset:
    """Return a result with its name in front of its schemes."""
    if "scheme" not in data.coords:  # a panel is about it
        return data.expand_dims(scheme=[name])
    data = data if data["scheme"].dims else data.expand_dims("scheme")
    return data.drop_vars("method").assign_coords(scheme=[f"{name}: {scheme}" for scheme in data["scheme"].values])


def panels(data: xr.Dataset) -> list[xr.Dataset]:
    """Return the parts of a result with a panel of learning curves each in its report, at most 24 (MOST_PANELS)."""
    parts = list(_parts(data))
    alone = len(parts) == 1 and (result_file.about(data).plot.kind == "curve" or not _others(data))
    return [] if alone or len(parts) > MOST_PANELS else parts


def _others(data: xr.Dataset) -> list[str]:
    return [name for name in analysis.swept(data) if name != "scheme"]


def _parts(data: xr.Dataset) -> Iterator[xr.Dataset]:
    """Yield parts of a result with few enough lines for a legend inside, for each value of as few keys as possible."""
    over = _others(data)
    if not over or np.prod([data.sizes[name] for name in analysis.swept(data)]) <= axis_labels.LEGEND_INSIDE:
        yield data
        return
    for place in range(data.sizes[over[0]]):
        yield from _parts(data.isel({over[0]: place}))


def learning_curves(part: xr.Dataset) -> Figure:
    """Draw the learning curves of a part of a result as a figure, by the keys of its scenario's figure."""
    with matplotlib.rc_context(STYLE):
        figure, ax = plt.subplots()
        plot.draw(_alone(part), result_file.about(part).plot, (), ax)
        _place_legend(figure)
    return figure


def _require(results: Sequence[xr.Dataset], asked: Plot) -> None:
    """Refuse what a result does not have, and results that cannot share axes, as their variables or keys differ."""
    for data, key in itertools.product(results, ("x", "y", "cost")):
        analysis.require(data, f"plot.{key}", getattr(asked, key))
    for swept in map(analysis.swept, results):
        if asked.panels in swept and (rule := asked.why_no_panels(swept)):
            raise OtaflError("plot.panels", asked.panels, rule)
        if rule := asked.why_not_over(swept):
            raise OtaflError("plot.over", asked.over, rule)
    if asked.relative_to and len(results) > 1:
        raise OtaflError("plot.relative_to", asked.relative_to, "needs a single result")
    meanings = {str(data[asked.y].attrs.get("long_name")) for data in results}
    against = {drawn(asked.model_dump(), analysis.swept(data)).x for data in results if asked.kind != "curve"}
    targets = {str(result_file.about(data).target) for data in results if asked.kind == "to_target"}
    for key, value, kinds, rule in (
        ("plot.y", asked.y, meanings, "is not the same in all results:"),
        ("plot.kind", asked.kind, against, "needs results over the same key, but these are over"),
        ("plot.kind", asked.kind, targets, "needs one target, but those of the results are"),
    ):
        if len(kinds) > 1:
            raise OtaflError(key, value, f"{rule} {' and '.join(sorted(kinds))}")


def save(figure: Figure, stem: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure to files, each whole or not at all, and close it; return their paths, a stem with each suffix."""
    stem = Path(stem)
    paths = [stem.parent / f"{stem.name}.{suffix}" for suffix in formats]
    for path in paths:
        metadata = {"CreationDate": None} if path.suffix == ".pdf" else None
        content = io.BytesIO()  # as matplotlib fails in another way where a disk is full
        with matplotlib.rc_context(STYLE), atomic_file(path) as temporary:
            figure.savefig(content, format=path.suffix[1:], metadata=metadata)
            temporary.write_bytes(content.getvalue())
    plt.close(figure)
    return paths
