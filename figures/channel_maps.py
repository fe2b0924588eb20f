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


STUDY = Study(
    title="Workers of two cells",
    scenarios=tuple(TITLES),
    draw=draw,
    caption=(
        "Workers under the first seed, by colour their mean path gain. Left: ray tracing in Munich with at most 2 "
        "reflections, places with a loss above 100 dB left out. Buildings are drawn by their convex hulls, so that "
        "some courtyards seem to be built on. Right: a sector of a micro cell, losses above 95 dB left out. Places "
        "beside each other differ there by line of sight and shadowing. `otafl plot RESULT.nc --map` draws such a map "
        "of any study."
    ),
)
