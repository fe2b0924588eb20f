"""A-FADMM over four channels, by the exponent p of its weights |h|^p."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.channel_panels import columns


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss against time slots for each exponent, with a column for each channel.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return columns(data["cell_weights"], "loss", (1e-6, 1e1))
