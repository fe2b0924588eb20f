"""Table 4 of the FedVRA paper: methods against each other."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedVRA and its rivals against rounds, with a panel for each data set and work.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "MNIST, MLP, 2 epochs": data["fedvra_table4_mnist"],
        "MNIST, MLP, 1 to 5 epochs": data["fedvra_table4_uneven_mnist"],
        "digits, 2 epochs": data["fedvra_table4_small"],
        "digits, 1 to 5 epochs": data["fedvra_table4_uneven_small"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Wang et al. (FedVRA): FedVRA, FedDyn, SCAFFOLD, FedProx, FedAvg (table 4)",
    scenarios=(
        "fedvra_table4_mnist",
        "fedvra_table4_uneven_mnist",
        "fedvra_table4_small",
        "fedvra_table4_uneven_small",
    ),
    draw=draw,
    caption=(
        "Above: MNIST with the MLP of 109,184 weights in place of the paper's CNN, 10 of 100 clients. A client has 80% "
        "of its samples from two classes. Settings: learning rate 0.01, B = 50, gamma = 0.1, a = d = 10, one seed, 300 "
        "rounds. Below: embedded digits, 4 of 20 clients, learning rate 0.05, 3 seeds."
    ),
)
