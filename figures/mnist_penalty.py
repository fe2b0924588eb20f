"""Figure 5(b) of the A-FADMM paper: the penalty ρ with networks."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by penalty ρ against rounds, with a panel for each method.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_value({"": data["mnist_penalty"]}, "scheme")


STUDY = Study(
    title="MNIST: the penalty ρ (figure 5b)",
    scenarios=("mnist_penalty",),
    draw=draw,
    caption=(
        "Test accuracy on MNIST against rounds for penalties ρ from 0.05 to 50. The settings are those of figure 4(a), "
        "with 200 rounds; mean and standard deviation over 3 seeds. A smaller ρ is faster at first, but "
        "with ρ = 0.05 the accuracy of A-SFADMM falls at changes of channel up to round 110, by up to 0.16."
    ),
)
