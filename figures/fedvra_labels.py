"""Figure 4 of the FedVRA paper: a tenth of the samples has a label."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, without
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy against rounds where a tenth of the labels is known, with pseudo labels and without.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    pseudo = without(data["fedvra_labels_small"], "FedProx-U")
    alone = without(data["fedvra_labels_alone_small"], "FedProx")
    left = Panel("with pseudo labels", pseudo, limits=(0.0, 1.0))
    return grid([[left, Panel("the labelled tenth alone", alone, limits=(0.0, 1.0), first=1)]], own_legends=True)


STUDY = Study(
    title="Wang et al. (FedVRA): a tenth of the samples labelled (figure 4)",
    scenarios=("fedvra_labels_small", "fedvra_labels_alone_small"),
    draw=draw,
    caption=(
        "Embedded digits, 4 of 20 clients, 80% from two classes, 3 seeds, mean and one standard deviation. Left: all "
        "methods have pseudo labels for the samples without a label, found as FedVRA-U finds them (γ = 0.5, d = 15, a "
        "= 5). Right: the others on the labelled samples alone; FedProx lies on FedAvg and is left out."
    ),
)
