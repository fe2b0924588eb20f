"""Learning curves where they are more than one figure holds: a panel for each value of a swept key."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from otafl.results import analysis, axes, drawing, looks
from otafl.results.pyplot import Figure, matplotlib, plt


def panels(data: xr.Dataset) -> list[xr.Dataset]:
    """The parts of a result that have a panel each: none where its figure shows all curves, or they are too many."""
    parts = list(_parts(data))
    shown = len(parts) == 1 and drawing.shows_curves(data)
    return [] if shown or len(parts) > drawing.MOST_PANELS else parts


def _parts(data: xr.Dataset) -> Iterator[xr.Dataset]:
    """Parts with as many lines as have their legend inside, for each value of as many keys as that takes."""
    over = drawing.swept_beside_scheme(data)
    if not over or np.prod([data.sizes[name] for name in analysis.swept(data)]) <= axes.LEGEND_INSIDE:
        yield data
        return
    for place in range(data.sizes[over[0]]):
        yield from _parts(data.isel({over[0]: place}))


def draw(part: xr.Dataset) -> Figure:
    """The learning curves of a panel."""
    with matplotlib.rc_context(looks.STYLE):
        drawn, ax = plt.subplots()
        drawing.learning_curves(part, ax)
    return drawn
