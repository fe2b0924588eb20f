"""Figure 4(a) of the A-FADMM paper: test accuracy against time slots."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against time slots."""
    fig, ax = plt.subplots()
    plot.curves(data["mnist_communication"].drop_sel({"method": "D-SGD"}), y="test_accuracy", ax=ax)
    ax.set_ylim(0.1, 1.0)
    ax.legend(loc="lower right", fontsize=6)
    return fig


STUDY = Study(
    title="MNIST: test accuracy against time slots (figure 4a)",
    scenarios=("mnist_communication",),
    draw=draw,
    caption=(
        "MLP 784-128-64-10, 100 workers with 600 samples each, 4,096 subcarriers, 40 dB, ρ = 0.5, 20 Adam steps of "
        "batch 100 a round, a new Rayleigh channel every 10 rounds, after which workers go on training. 60 rounds; "
        "mean and standard deviation over 3 seeds at every round. D-SGD is left out."
    ),
)
