"""Kinds of plot: how ``plot.kind`` of a scenario draws a result on axes."""

import xarray as xr

from otafl.results import analysis, file, plot
from otafl.results.matplotlib_setup import Axes
from otafl.settings.plot import Plot


def draw(data: xr.Dataset, asked: Plot, ax: Axes, first: int = 0) -> Axes:
    """Draw the lines of a result as the keys of a figure ask for: curves, readings at budgets, or costs of a target.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        asked: keys of the figure, table ``plot``.
        ax: axes to draw on.
        first: number of the first line, from 0, in the cycles of colours and dashes.

    Returns:
        The axes.

    Raises:
        OtaflError: a key names what the result does not have.
    """
    over = swept_beside_scheme(data)
    if asked.kind == "curve" or not over:
        return learning_curves(data, asked, ax, first)
    drawn_as = asked.drawn_as(asked.kind)
    if asked.kind == "at_budget":
        return plot.at_budget(data, over[0], asked.cost, asked.budgets, asked.y, ax, first, **drawn_as)
    variable, target = file.about(data).target
    return plot.to_target(data, over[0], asked.cost, target, variable, ax, first, reached=asked.reached, **drawn_as)


def learning_curves(data: xr.Dataset, asked: Plot, ax: Axes, first: int = 0) -> Axes:
    """Draw a variable of a result over a cost, with a line for each swept point.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        asked: keys of the figure, which name variable, cost and statistic.
        ax: axes to draw on.
        first: number of the first line, from 0, in the cycles of colours and dashes.

    Returns:
        The axes.

    Raises:
        OtaflError: a key names what the result does not have.
    """
    x = asked.x if asked.kind == "curve" else asked.cost
    y = file.about(data).target[0] if asked.kind == "to_target" else asked.y
    return plot.curves(data, x, y, ax, first, **asked.drawn_as("curve"))


def swept_beside_scheme(data: xr.Dataset) -> list[str]:
    """Return the dimensions of a result's swept keys other than the scheme, which is a method with its label or uplink.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
    """
    return [name for name in analysis.swept(data) if name != "scheme"]
