"""Kinds of plot: how ``plot.kind`` of a scenario draws a result on axes."""

from collections.abc import Collection

import xarray as xr

from otafl.results import analysis, plot, result_file, statistics
from otafl.results.matplotlib_setup import Axes
from otafl.settings.plot import TARGET, Drawn, Plot, drawn


def draw(data: xr.Dataset, asked: Plot, ax: Axes, first: int = 0) -> Axes:
    """Draw the lines of a result as the keys of a figure ask for: curves, readings at budgets, or costs of a target.

    Arguments:
        data: a result.
        asked: keys of the figure, table ``plot``.
        ax: axes to draw on.
        first: number of the first line, from 0, in the cycles of colours and dashes.

    Raises:
        OtaflError: a key names what the result does not have.
    """
    axes = drawn(asked.model_dump(), analysis.swept(data))
    return KINDS[axes.kind](data, asked, axes, ax, first)


def learning_curves(data: xr.Dataset, asked: Plot, ax: Axes, first: int = 0) -> Axes:
    """Draw a variable of a result over a cost, as ``draw`` does, with a line for each swept point."""
    return _curves(data, asked, drawn(asked.model_dump(), ()), ax, first)


def caption(data: xr.Dataset, asked: Plot, swept: Collection[str]) -> str:
    """Return what is drawn of the seeds of a result in words, such as "median and quartiles over seeds".

    Arguments:
        data: a result.
        asked: keys of the figure.
        swept: names of the swept dimensions against which the figure may be drawn; none for learning curves.
    """
    kind = drawn(asked.model_dump(), swept).kind
    return statistics.words(asked.statistic_of(kind), asked.spread, data.sizes["seed"])


def _curves(data: xr.Dataset, asked: Plot, axes: Drawn, ax: Axes, first: int) -> Axes:
    y = result_file.about(data).target[0] if axes.y == TARGET else axes.y
    return plot.curves(data, axes.x, y, ax, first, **asked.drawn_as("curve"))


def _at_budget(data: xr.Dataset, asked: Plot, axes: Drawn, ax: Axes, first: int) -> Axes:
    of_lines = asked.drawn_as("at_budget")
    return plot.at_budget(data, axes.x, asked.cost, asked.budgets, axes.y, ax, first, **of_lines)


def _to_target(data: xr.Dataset, asked: Plot, axes: Drawn, ax: Axes, first: int) -> Axes:
    variable, target = result_file.about(data).target
    of_lines = {"reached": asked.reached, **asked.drawn_as("to_target")}
    return plot.to_target(data, axes.x, axes.y, target, variable, ax, first, **of_lines)


KINDS = {"curve": _curves, "at_budget": _at_budget, "to_target": _to_target}
"""Functions that draw each kind of plot."""


def swept_beside_scheme(data: xr.Dataset) -> list[str]:
    """Return the names of a result's swept keys other than the scheme."""
    return [name for name in analysis.swept(data) if name != "scheme"]
