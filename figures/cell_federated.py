"""Networks over five channels, against slots, uses, joules and seconds."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.channel_panels import titled
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy on MNIST of each method against each cost, with a column for each channel.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_cost(titled(data["cell_federated"]), "fading", "loss", (1e-6, 1e2))


STUDY = Study(
    title="Linear regression over five channels: slots, uses, joules and seconds",
    scenarios=("cell_federated",),
    draw=draw,
    caption=(""),
)
