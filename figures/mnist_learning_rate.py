"""Figure 7 of the A-FADMM paper: the learning rate."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy by learning rate against rounds, with a panel for each method.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_value({"": data["mnist_learning_rate"]}, "scheme")


STUDY = Study(
    title="MNIST: the learning rate at ρ = 5 (figure 7)",
    scenarios=("mnist_learning_rate",),
    draw=draw,
    caption=(
        "Test accuracy against rounds for learning rates 0.01 and 0.001 at ρ = 5. Settings are those of figure 4(a), "
        "with 200 rounds; mean and standard deviation over 3 seeds. For A-SGD the learning rate multiplies the sum of "
        "100 workers' gradients."
    ),
)
