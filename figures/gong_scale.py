"""Figures 3 to 5 of the FedADMM paper of Gong et al.: more clients, and other data, under the same penalty and rate."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import gong_panels
from figures.gong_panels import Panel
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedADMM and its rivals against rounds, by the number of clients and partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    more, other = data["gong_scale_small"], data["gong_heterogeneity_small"]
    parts = {f"{n} clients, two labels each": more.sel(workers=n, drop=True) for n in more["workers"].values}
    parts["40 clients, IID"] = other.sel(partition="iid", drop=True)
    return gong_panels.drawn({title: Panel(part, 0.9, 0.7) for title, part in parts.items()})


STUDY = Study(
    title="Gong et al.: more clients, and other data, under the same penalty and rate (figures 3 to 5)",
    scenarios=("gong_scale_small", "gong_heterogeneity_small"),
    draw=draw,
    caption=(
        "Embedded digits, a quarter of the clients in a round, ρ = 0.01 for FedADMM-Gong and 0.1 for FedProx; means of "
        "three seeds (thin), dotted 90%. With two labels each SCAFFOLD's mean is ahead of FedADMM's at each size (9 to "
        "14 rounds to 90% against 15 to 17), with twice its uploads. The paper's own studies are on FMNIST and "
        "CIFAR-10 (`gong_scale`, `gong_heterogeneity` on a fifth of CIFAR-10)."
    ),
)
