"""Table V of the FedADMM paper of Gong et al.: the penalty of FedADMM and of FedProx."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import gong_panels
from figures.gong_panels import Panel
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by penalty against rounds, with a panel for each method and partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {"IID": (data["gong_table5_iid"], 0.9), "two shards each": (data["gong_table5_shards"], 0.75)}
    panels = {
        f"{method}, {words}": Panel(part.sel(scheme=method, drop=True), 0.95, lowest)
        for words, (part, lowest) in parts.items()
        for method in part["scheme"].values
    }
    return gong_panels.drawn(panels)


STUDY = Study(
    title="Gong et al.: the penalty of FedADMM and of FedProx (table V)",
    scenarios=(
        "gong_table5_iid",
        "gong_table5_shards",
    ),
    draw=draw,
    caption=(
        "MNIST, the MLP in place of CNN 1, 20 of 200 clients, 1 to 10 epochs at random; means of three seeds (thin), "
        "and a dotted line at 95%. At a rate of 0.1 FedADMM with ρ = 0.01 is there first: after 16 rounds (best "
        "FedProx: 24) and 57 (87). With ρ = 1 FedADMM loses more than FedProx does."
    ),
)
