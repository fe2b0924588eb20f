"""Figure 2 of the FedVRA paper: the steps a and d."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds, a panel for each a."""
    return panels.by_value({"digits": data["fedvra_steps_small"]}, "dual_step")


STUDY = Study(
    title="Wang et al. (FedVRA): the steps a and d (figure 2)",
    scenarios=("fedvra_steps_small",),
    draw=draw,
    caption=(
        "FedVRA on embedded digits, 4 of 20 clients, 80% from two classes, gamma = 0.1, learning rate 0.05, 2 "
        "local epochs, 3 seeds."
    ),
)
