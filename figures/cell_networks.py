"""A-SFADMM over four channels, by the exponents of its weights |h|^p over mean gains to the power of κ."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.channel_panels import columns
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy on MNIST against time slots for each choice of weights, with a column for each channel.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return columns(data["cell_networks"], "test_accuracy", (0.0, 1.0))


STUDY = Study(
    title="A-SFADMM over four channels, by the exponents of its weights",
    scenarios=("cell_networks",),
    draw=draw,
    caption="CAPTION",
)
