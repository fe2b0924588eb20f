"""Figures 6, 8 and 9 of the FedADMM paper of Gong et al.: server's step, start of local training, penalty."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study

PANELS = {
    "server's step, two labels each": "gong_server_step_small",
    "start of local training, IID": "gong_warm_start_small",
    "penalty, IID": "gong_penalty_small",
    "penalty, two labels each": "gong_penalty_shards_small",
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds."""
    return panels.by_study({title: data[name] for title, name in PANELS.items()}, own_legends=True)


STUDY = Study(
    title="Gong et al.: the server's step, the start of local training, and the penalty (figures 6, 8, 9)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption="",
)
