"""Maps of workers and their path gains: Munich by ray tracing, and a sector of a micro cell."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import cell_map as maps
from otafl.results import style

TITLES = {"channel_munich": "Munich, ray-traced", "channel_umi": "urban micro of 3GPP, a sector"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw maps of Munich and of a sector of a micro cell side by side: workers and mean path gains [dB].

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, made = plt.subplots(1, 2, figsize=(style.WIDTHS[2], 3.2))
    for ax, (name, title) in zip(made, TITLES.items(), strict=True):
        maps.draw(data[name], ax)
        ax.set_title(title)
    return fig


NOTES = """Buildings are drawn by their convex hulls, so that some courtyards seem to be built on.

`otafl plot RESULT.nc --map` draws such a map of any study."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="Workers of two cells",
    scenarios=tuple(TITLES),
    draw=draw,
    caption=(
        "Workers of two cells under the first seed, coloured by their mean path gain. Left: Munich, ray traced with at "
        "most 2 reflections, losses up to 100 dB; right: a sector of a micro cell (UMi), up to 95 dB. In the micro "
        "cell, places beside each other differ by line of sight and shadowing."
    ),
    notes=NOTES,
)
