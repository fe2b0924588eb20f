"""Figures of A-FADMM over every fading model, and maps of workers and their path gains."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.channels import panels
from figures.gallery.pictures import Results
from otafl.results import cell_map, plot, style

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


def channel_models(data: Results) -> Figure:
    """Return the loss of A-FADMM against iterations, with a panel for each family of fading models."""
    fig, axes = panels.grid(len(PANELS))
    for ax, (title, parts) in zip(axes, PANELS.items(), strict=True):
        for first, name in enumerate(parts):
            part = data[name].squeeze("scheme")
            named = part.assign_coords(scheme=NAMES[name]) if name in NAMES else part
            plot.curves(named, "iteration", ax=ax, first=first, statistic="median")
        ax.set(title=title, ylim=(1e-5, 50.0))
        ax.legend(fontsize=6, loc="lower left")
    panels.names_at_the_left(axes)
    return fig


def channel_maps(data: Results) -> Figure:
    """Return maps of Munich and of a sector of a micro cell side by side: workers and mean path gains [dB]."""
    fig, axes = plt.subplots(1, 2, figsize=(style.WIDTHS[2], 3.2))
    titles = {"channel_munich": "Munich, ray-traced", "channel_umi": "urban micro of 3GPP, a sector"}
    for ax, (name, title) in zip(axes, titles.items(), strict=True):
        cell_map.draw(data[name], ax)
        ax.set_title(title)
    return fig
