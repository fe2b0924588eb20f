"""A-FADMM over every fading model."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import channels
from figures.study import CHANNELS, Study
from otafl.results import plot

PANELS = {
    "independent links": ("channel_fading",),
    "ring of 250 m, 30 dB at the median": ("channel_ring",),
    "tapped delay lines of 3GPP": ("channel_tdl",),
    "clustered delay lines of 3GPP": ("channel_cdl",),
    "cells of 3GPP": ("channel_umi", "channel_uma", "channel_rma"),
    "ray tracing": ("channel_canyon", "channel_munich"),
}
NAMES = {"channel_canyon": "street canyon", "channel_munich": "Munich"}
NAMES |= {"channel_umi": "UMi", "channel_uma": "UMa", "channel_rma": "RMa"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Loss against iterations, a panel for each family."""
    fig, made = channels.grid(len(PANELS))
    for ax, (title, parts) in zip(made, PANELS.items(), strict=True):
        for first, part in enumerate(parts):
            one = data[part].squeeze("scheme")
            named = one.assign_coords(scheme=NAMES[part]) if part in NAMES else one
            plot.curves(named, "iteration", ax=ax, first=first, statistic="median")
        ax.set_title(title)
        ax.legend(fontsize=6, loc="lower left")
    channels.outer_names(made)
    return fig


STUDY = Study(
    title="A-FADMM over every fading model",
    scenarios=tuple(part for parts in PANELS.values() for part in parts),
    draw=draw,
    caption="",
    in_full=True,
)
