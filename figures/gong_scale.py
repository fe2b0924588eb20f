"""Figures 3 to 5 of the FedADMM paper of Gong et al.: more clients, and other data, under the same penalty and rate."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedADMM and its rivals against rounds, by the number of clients and partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    more, other = data["gong_scale_small"], data["gong_heterogeneity_small"]
    parts = {f"{n} clients, two labels each": more.sel(workers=n, drop=True) for n in more["workers"].values}
    return panels.by_study(parts | {"40 clients, IID": other.sel(partition="iid", drop=True)})


STUDY = Study(
    title="Gong et al.: more clients, and other data, under the same penalty and rate (figures 3 to 5)",
    scenarios=("gong_scale_small", "gong_heterogeneity_small"),
    draw=draw,
    caption=(
        "Settings: embedded digits, rate 0.2 for all methods, ρ = 0.01 for FedADMM-Gong and 0.1 for FedProx, 3 seeds. "
        "A quarter of 20, 40 and 80 clients take part. The paper's studies on CIFAR-10 are there as scenarios "
        "(`gong_scale`, `gong_heterogeneity`)."
    ),
)
