"""The figure that opens the README: the quickstart study."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Loss against time slots on embedded data."""
    return plot.figure(data["quickstart"])


STUDY = Study(
    title="Quickstart: diabetes data, 20 workers",
    scenarios=("quickstart",),
    draw=draw,
    caption=(
        "What `make demo` draws: loss against time slots, 10 subcarriers, 40 dB, mean and standard deviation over 5 "
        "seeds. A-FADMM is fastest to 1e-3 on the band of 10 subcarriers, and then meets its noise floor."
    ),
)
