"""Figure 3 of the FedADMM paper of Wang et al.: the number of participants."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy on synthetic(1, 1) against rounds, with a line for each number of participants.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "synthetic(1, 1)": data["wang_participation"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Wang et al.: FedADMM with 5 to 30 of 30 clients (figure 3)",
    scenarios=("wang_participation",),
    draw=draw,
    caption=("Test accuracy on synthetic(1, 1) in place of FEMNIST, otherwise as in figure 2; 3 seeds."),
)
