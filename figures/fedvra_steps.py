"""Figure 2 of the FedVRA paper: the steps a and d."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedVRA against rounds, with a panel for each dual step a, on MNIST and digits.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_value({"MNIST": data["fedvra_steps_mnist"], "digits": data["fedvra_steps_small"]}, "dual_step")


STUDY = Study(
    title="Wang et al. (FedVRA): the steps a and d (figure 2)",
    scenarios=("fedvra_steps_mnist", "fedvra_steps_small"),
    draw=draw,
    caption=(
        "FedVRA with gamma = 0.1 and 2 local epochs; 80% of a client's samples are from two classes. Above: MNIST with "
        "the MLP, 10 of 100 clients, learning rate 0.01, one seed. Below: embedded digits, 4 of 20 clients, learning "
        "rate 0.05, 3 seeds."
    ),
)
