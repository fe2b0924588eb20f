"""First figure of the README: the quickstart study."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import figure_files


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the loss of the quickstart study against time slots.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return figure_files.figure(data["quickstart"])


STUDY = Study(
    title="Quickstart: diabetes data, 20 workers",
    scenarios=("quickstart",),
    draw=draw,
    caption=(
        "`make demo` draws this figure: loss against time slots with 10 subcarriers at 40 dB, mean and standard "
        "deviation over 5 seeds. On the band of 10 subcarriers A-FADMM goes down fastest, until it meets its noise "
        "floor. The dip of D-FADMM is a change of sign of the gap."
    ),
)
