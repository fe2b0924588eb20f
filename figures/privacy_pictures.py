"""Images that a gradient-inversion attack finds in the signals of each uplink."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl import privacy

COMMON = {
    "local.optimizer": "sgd",
    "local.learning_rate": 0.1,
    "local.steps": 1,
    "local.batch_size": 1,
    "channel.snr_db": 10.0,
    "run.seeds": 6,
}
ROWS: dict[str, dict[str, Any]] = {
    "digital": {"method": "FedAvg@digital", "federation.workers": 10},
    "analog, 2 workers": {"method": "FedAvg@analog", "federation.workers": 2},
    "analog, 10 workers": {"method": "FedAvg@analog", "federation.workers": 10},
    "A-SFADMM, 2 workers": {"method": "A-SFADMM", "federation.workers": 2},
    "A-SFADMM, 10 workers": {"method": "A-SFADMM", "federation.workers": 10},
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw images and what an attack finds of them, with a row for each uplink: originals in grey frames.

    Arguments:
        data: unused, as all is computed here.
    """
    fig, grid = plt.subplots(len(ROWS), 2 * COMMON["run.seeds"], figsize=(7.2, 3.4))
    for axes, (label, keys) in zip(grid, ROWS.items(), strict=True):
        found = privacy.attack("digits_quickstart", COMMON | keys)
        for seed in range(found.sizes["seed"]):
            one = found.isel(seed=seed).squeeze()
            for ax, name in zip(axes[2 * seed :], ("original", "reconstruction"), strict=False):
                ax.imshow(one[name], cmap="gray_r")
                ax.set(xticks=[], yticks=[])
            axes[2 * seed + 1].set_xlabel(f"{one['likeness'].item():.2f}", fontsize=6, labelpad=1)
        axes[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=7)
    for column, ax in enumerate(grid[0]):
        ax.set_title("found" if column % 2 else "original", fontsize=6)
    return fig


NOTES = """The server takes the leading singular vectors of what it has of the first layer's gradient. The one most like
the original is shown. The |cosine| is 0.69 for any two of these digits in the mean, and 0.83 for one and the mean of
all.

In a sum over 2 workers both images lie over each other.

A-SFADMM's weights, which differ from element to element, spoil the images of 2 workers: the |cosine| is 0.74 in the
mean of the seeds, and 0.92 for their sum. With 10 workers it is 0.76 and 0.77: there A-SFADMM hides no more than a sum
does."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="Pictures behind updates",
    scenarios=(),
    draw=draw,
    caption=(
        "What a curious server finds behind a worker's first update, beside the original, with the |cosine| of both "
        "below. FedAvg over digital and analog uplinks, and A-SFADMM, at 10 dB; updates of one image by one step of "
        "SGD, 6 seeds. A digital update gives the image to the pixel; a sum over 10 workers gives a blur that is as "
        "often another digit."
    ),
    notes=NOTES,
)
