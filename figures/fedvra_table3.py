"""Table 3 of the FedVRA paper: methods against each other on CIFAR-10."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study

PANELS = {
    "IID": "fedvra_cifar10_iid_small",
    "80% from two classes": "fedvra_cifar10_small",
    "80% from two classes, 1 to 5 epochs": "fedvra_cifar10_uneven_small",
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of methods on CIFAR-10 against rounds, with a panel for each partition and work.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_study({title: data[name] for title, name in PANELS.items()})


STUDY = Study(
    title="Wang et al. (FedVRA): FedVRA, FedDyn, SCAFFOLD, FedProx, FedAvg (table 3, figure 3)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "Small siblings: embedded digits in place of CIFAR-10, 4 of 20 clients, the small CNN, B = 24, rate 0.05, 3 "
        "seeds. Further settings are γ = 0.1, a = 7 and d = 5, one over the share that takes part. FedProx is FedAvg "
        "to the eye. The studies on CIFAR-10 are there as scenarios (`fedvra_cifar10`, `fedvra_cifar10_iid`, "
        "`fedvra_cifar10_uneven`)."
    ),
)
