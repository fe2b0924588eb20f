"""Table V of the FedADMM paper of Gong et al.: the penalty of FedADMM and of FedProx."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds, a panel for each method."""
    parts = {"IID": data["gong_table5_iid_small"], "non-IID": data["gong_table5_shards_small"]}
    return panels.by_value(parts, "method")


STUDY = Study(
    title="Gong et al.: the penalty of FedADMM and of FedProx (table V)",
    scenarios=(
        "gong_table5_iid_small",
        "gong_table5_shards_small",
    ),
    draw=draw,
    caption=("Embedded digits, 5 of 20 clients, one to ten local epochs at random, learning rate 0.1, 3 seeds."),
)
