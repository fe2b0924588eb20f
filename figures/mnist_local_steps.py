"""Figure 6 of the A-FADMM paper: the number of local steps."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds, a panel for each method."""
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.5), sharey=True)
    for ax, method in zip(axes, ("A-SFADMM", "D-SFADMM"), strict=True):
        part = data["mnist_local_steps"].sel({"method": method}, drop=True)
        plot.curves(part, x="iteration", y="test_accuracy", ax=ax)
        ax.set_title(method, fontsize=8)
        ax.set_ylabel("" if ax is not axes[0] else ax.get_ylabel())
        ax.legend(fontsize=6, loc="lower right", ncol=2)
    axes[0].set_ylim(0.6, 1.0)
    return fig


STUDY = Study(
    title="MNIST: local steps (figure 6)",
    scenarios=("mnist_local_steps",),
    draw=draw,
    caption=(
        "Test accuracy against rounds for 5 to 40 Adam steps a round; settings of figure 4(a), 40 rounds, 2 seeds."
    ),
)
