"""Images that a gradient-inversion attack finds in the signals of each uplink."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.gallery.pictures import Results
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


def privacy_pictures(_: Results) -> Figure:
    """Return images and what an attack finds of them, with a row for each uplink: originals in grey frames."""
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
