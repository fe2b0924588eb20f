"""Table V of the FedADMM paper of Gong et al.: the penalty of FedADMM and of FedProx."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by penalty against rounds, with a panel for each method and partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {"IID": data["gong_table5_iid"], "non-IID": data["gong_table5_shards"]}
    return panels.by_value(parts, "scheme")


STUDY = Study(
    title="Gong et al.: the penalty of FedADMM and of FedProx (table V)",
    scenarios=(
        "gong_table5_iid",
        "gong_table5_shards",
    ),
    draw=draw,
    caption=(
        "Settings: MNIST with the MLP of 109,184 weights in place of CNN 1, 20 of 200 clients, B = 50, learning rate "
        "0.1, 3 seeds. Clients do one to ten local epochs at random. Non-IID: two shards each."
    ),
)
