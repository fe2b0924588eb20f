"""Figures 3 to 5 of the FedADMM paper of Gong et al.: more clients, and other data, under the same penalty and rate."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study

PANELS = {
    "gong_scale_small": ("workers", (20, 40, 80)),
    "gong_heterogeneity_small": ("partition", ("iid", "labels")),
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds."""
    parts = {
        f"{over} = {value}": data[name].sel({over: value}, drop=True)
        for name, (over, values) in PANELS.items()
        for value in values
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Gong et al.: more clients, and other data, under the same penalty and rate (figures 3 to 5)",
    scenarios=tuple(PANELS),
    draw=draw,
    caption="",
)
