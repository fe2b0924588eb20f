"""Table 2 of the FedADMM-InSa paper, example 2, small: penalties and the work they take."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds, a panel for each method."""
    return panels.by_value({"digits": data["insa_mnist_small"]}, "method")


STUDY = Study(
    title="Song et al.: FedADMM, -In and -InSa against the penalty (table 2, example 2)",
    scenarios=("insa_mnist_small",),
    draw=draw,
    caption=("Embedded digits, 5 of 20 clients, at most two labels each, at most 20 local epochs, 3 seeds."),
)
