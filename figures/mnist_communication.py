"""Figure 4(a) of the A-FADMM paper: test accuracy against time slots."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study, renamed
from otafl.results import plot


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy against time slots, with both readings of D-SFADMM's consensus.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, ax = plt.subplots(figsize=(3.5, 3.1))
    plain = data["mnist_communication"].drop_sel({"scheme": "D-SGD"})
    plot.curves(plain, y="test_accuracy", ax=ax)
    plot.curves(data["mnist_communication_wide"], y="test_accuracy", ax=ax, first=plain.sizes["scheme"])
    weighted = renamed(data["mnist_communication_weighted"], "weighted")
    plot.curves(weighted, y="test_accuracy", ax=ax, first=plain.sizes["scheme"] + 1)
    ax.set_ylim(0.4, 1.0)
    ax.legend().remove()
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=6)
    return fig


STUDY = Study(
    title="MNIST: test accuracy against time slots (figure 4a)",
    scenarios=("mnist_communication", "mnist_communication_wide", "mnist_communication_weighted"),
    draw=draw,
    caption=(
        "Settings: MLP 784-128-64-10, 100 workers with 600 samples each, 4,096 subcarriers, 40 dB, ρ = 0.5, 20 Adam "
        "steps of batch 100 a round. The Rayleigh channel is new every 10 rounds, after which A-SFADMM and the "
        "weighted D-SFADMM solve for their duals. Lines are mean and standard deviation over 5 seeds (A-SFADMM-10x: "
        "3); a round takes A-SFADMM 27 slots and A-SFADMM-10x 3, and D-SGD is left out."
    ),
)
