"""Table 2 of the FedADMM-InSa paper, example 2: penalties and the local work with each."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by penalty against rounds, with a panel for each method and data set.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_value({"MNIST": data["insa_mnist_300"], "digits": data["insa_mnist_small"]}, "scheme")


STUDY = Study(
    title="Song et al.: FedADMM, -In and -InSa against the penalty (table 2, example 2)",
    scenarios=("insa_mnist_300", "insa_mnist_small"),
    draw=draw,
    caption=(
        "Clients have at most two labels each and at most 20 local epochs. Above: MNIST with the MLP of 109,184 "
        "weights in place of the paper's CNN, 40 of 200 clients. Settings: learning rate 0.01, B = 50, one seed, 300 "
        "rounds. From β = 0.1 to 10 FedADMM ends at 0.951 to 0.872 and FedADMM-InSa at 0.896 to 0.915. FedAvg, which "
        "has no β, ends at 0.926. Below: embedded digits, 5 of 20 clients, 3 seeds."
    ),
)
