"""Figure 6 of the A-FADMM paper: the number of local steps."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by number of local steps against rounds, with a panel for each method.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_value({"": data["mnist_local_steps"]}, "scheme", lowest=0.6)


STUDY = Study(
    title="MNIST: local steps (figure 6)",
    scenarios=("mnist_local_steps",),
    draw=draw,
    caption=(
        "Test accuracy on MNIST against rounds for 5 to 40 Adam steps a round. The settings are those of figure 4(a), "
        "with 200 rounds and a new channel every 10; mean and standard deviation over 3 seeds. A-SFADMM's accuracy "
        "falls at changes of channel, with 5 steps mostly at the first, with 40 up to round 80; D-SFADMM is fastest "
        "with 40 and slowest with 20."
    ),
)
