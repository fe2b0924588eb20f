"""Where workers are, and how much of their power arrives: Munich by ray tracing, and a sector of a micro cell."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import looks, map as maps

TITLES = {"channel_munich": "Munich, ray-traced", "channel_umi": "urban micro of 3GPP, a sector"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Two maps."""
    fig, made = plt.subplots(1, 2, figsize=(looks.WIDTHS[2], 3.2))
    for ax, (name, title) in zip(made, TITLES.items(), strict=True):
        maps.draw(data[name], ax)
        ax.set_title(title)
    return fig


STUDY = Study(
    title="Workers of two cells",
    scenarios=tuple(TITLES),
    draw=draw,
    caption="",
)
