"""Readings of the A-FADMM paper other than the defaults, in image classification."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.panels import beside
from figures.study import Study
from otafl.results import plot

BASE = "mnist_communication"
PAIRS = {
    "change of channel": (["A-SFADMM"], "train", "train"),
    "mini-batches": (["A-SFADMM", "D-SFADMM"], "minibatch", "one a round"),
    "first models and duals": (["A-SFADMM", "D-SFADMM"], "random", "random"),
    "consensus": (["D-SFADMM"], "weighted", "weighted"),
    "uploads of A-SGD": (["A-SGD", "D-SGD"], "models", "models"),
}
"""Methods of each panel, the suffix of the scenario after ``mnist_communication_``, and the reading in words."""


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy under other readings of the A-FADMM paper against rounds, beside the defaults.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(3, 2, figsize=(7.0, 7.2), sharey=True)
    for ax, (title, (names, scenario, reading)) in zip(axes.flat, PAIRS.items(), strict=False):
        default, other = (part.sel({"scheme": names}) for part in (data[BASE], data[f"{BASE}_{scenario}"]))
        beside(ax, default, other, reading, x="iteration", y="test_accuracy")
        ax.set_title(title)
        ax.legend(fontsize=6, loc="lower right")
    ax = axes[2, 1]
    plot.curves(data["mnist_threshold"].squeeze("scheme"), x="iteration", y="test_accuracy", ax=ax)
    ax.set_title("A-SGD by threshold ε")
    ax.legend(fontsize=6, loc="lower right")
    axes[0, 0].set_ylim(0.0, 1.0)
    return fig


STUDY = Study(
    title="MNIST: other readings of the paper",
    scenarios=(BASE, *(f"{BASE}_{scenario}" for _, scenario, _ in PAIRS.values()), "mnist_threshold"),
    draw=draw,
    caption=(
        "Test accuracy on MNIST against rounds under other readings of the paper, each beside the default. The "
        "settings are those of figure 4(a); mean and standard deviation over 5 seeds. One mini-batch for all steps of "
        "a round does harm, and the threshold of the channel inversion makes no difference."
    ),
)
