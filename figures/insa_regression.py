"""Table 2 of the FedADMM-InSa paper, example 1: linear regression."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the optimality gap of a linear regression against rounds, with a panel for each method and size.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "50,000 samples, d = 5,000": data["insa_regression"],
        "1,200 samples, d = 40": data["insa_regression_small"],
    }
    return panels.by_value(parts, "scheme", y="loss")


STUDY = Study(
    title="Song et al.: FedADMM, -In and -InSa, linear regression (table 2, example 1)",
    scenarios=(
        "insa_regression",
        "insa_regression_small",
    ),
    draw=draw,
    caption=(
        "Optimality gap of the global model, summed over workers, against rounds. Above: the paper's setting, 40 of "
        "200 clients, B = 50, learning rate 0.001, at most 20 epochs, c = 0.01, one seed. Below: a small sibling, 3 "
        "seeds."
    ),
)
