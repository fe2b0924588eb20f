"""Table 4 of the FedVRA paper: methods against each other."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, without
from figures.study import Study

PANELS = {"2 epochs, 3 seeds": "fedvra_table4", "1 to 5 epochs, one seed": "fedvra_table4_uneven_mnist"}
LIMITS, TARGETS = (0.8, 1.0), (0.9, 0.95, 0.97)
"""Limits of the axis, and the test accuracies of table 4."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedVRA and its rivals on MNIST against rounds, with a panel for each study.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {title: without(data[name], "FedProx") for title, name in PANELS.items()}
    return grid([[Panel(title, part, limits=LIMITS, targets=TARGETS) for title, part in parts.items()]])


STUDY = Study(
    title="Wang et al. (FedVRA): FedVRA, FedDyn, SCAFFOLD, FedAvg (table 4)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "MNIST with the MLP in place of the paper's CNN, 10 of 100 clients, 80% from two classes, rate 0.01, γ = 0.1, "
        "a = d = 10. Left: mean and one standard deviation over the paper's 500 rounds. Dotted: the targets of the "
        "table; FedProx lies on FedAvg and is left out."
    ),
)
