"""Figure 3 of the FedADMM paper of Wang et al.: the number of participants."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, worded
from figures.study import Study

CLIENTS = 30


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy and training loss on synthetic(1, 1), with a line for each number of participants.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    part = data["wang_participation"].squeeze("scheme", drop=True)
    part = worded(part, "participation", lambda share: f"{CLIENTS * share:.0f} of {CLIENTS} clients")
    accuracy = Panel("synthetic(1, 1)", part, limits=(0.0, 1.0), targets=(0.7,))
    return grid([[accuracy, Panel("synthetic(1, 1)", part, "loss", spread="none")]])


STUDY = Study(
    title="Wang et al.: FedADMM with 5 to 30 of 30 clients (figure 3)",
    scenarios=("wang_participation",),
    draw=draw,
    caption=(
        "Test accuracy (mean, one standard deviation) and training loss on synthetic(1, 1) in place of FEMNIST, 3 "
        "seeds, otherwise as in figure 2. The dotted line is the target of the table of claims, 0.7."
    ),
)
