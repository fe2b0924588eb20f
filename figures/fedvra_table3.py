"""Table 3 of the FedVRA paper: methods against each other, on digits in place of CIFAR-10."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid, without
from figures.study import Study

PANELS = {
    "digits, IID": "fedvra_cifar10_iid_small",
    "digits, 80% from two classes": "fedvra_cifar10_small",
    "the same, 1 to 5 epochs": "fedvra_cifar10_uneven_small",
}
TARGETS = (0.7, 0.8)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of methods against rounds, with a panel for each partition and work.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {title: without(data[name], "FedProx") for title, name in PANELS.items()}
    return grid([[Panel(title, part, limits=(0.0, 1.0), targets=TARGETS) for title, part in parts.items()]])


STUDY = Study(
    title="Wang et al. (FedVRA): FedVRA, FedDyn, SCAFFOLD, FedAvg (table 3, figure 3, on digits)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "Embedded digits in place of CIFAR-10, 4 of 20 clients, the small CNN, 3 seeds, mean and one standard "
        "deviation; FedProx lies on FedAvg and is left out. Settings: B = 24, rate 0.05, γ = 0.1, a = 7 and d = 5, one "
        "over the share that takes part. Dotted: targets of the table of claims."
    ),
)
