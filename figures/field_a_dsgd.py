"""A-DSGD, D-DSGD and their digital rivals at equal channel uses, as Amiri and Gündüz compare them."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below

SCENARIOS = ("field_a_dsgd",)
PARTITIONS = {"iid": "IID", "shards": "two classes a worker"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against channel uses, a panel for each partition, with the error-free bound as a dashed line.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    (result,) = data.values()
    for ax, (partition, title) in zip(axes, PARTITIONS.items(), strict=True):
        part = result.sel(partition=partition, drop=True)
        bound = part.sel(scheme="FedAdam@ideal")["test_accuracy"].mean("seed").isel(iteration=-1)
        plot.curves(part.drop_sel(scheme="FedAdam@ideal"), "channel_uses", "test_accuracy", ax=ax)
        ax.axhline(float(bound), color="black", linestyle="--", linewidth=0.8, label="error-free bound")
        ax.set(title=title, ylim=(0.0, 1.0))
    legend_below(fig, axes[0])
    return fig


STUDY = Study(
    title="Amiri and Gündüz: A-DSGD and D-DSGD at equal channel uses",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Test accuracy on MNIST against channel uses: 25 workers, softmax regression, AWGN, 1,960 complex uses and "
        "power 500 over the noise in a round, 3 seeds. A-DSGD leads D-DSGD, as its abstract says, on IID data from the "
        "start (0.911 against 0.882 after 100 rounds), with two classes from the tenth round on. Schemes that send all "
        "elements, signSGD and QSGD, come to 3 rounds within these uses."
    ),
)
