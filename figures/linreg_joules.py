"""Section V-C of the A-FADMM paper: transmitted energy of A-FADMM and D-FADMM."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

TARGET = 1e-3
PANELS = {
    "linreg_energy_uncapped": "P on each subcarrier, one slot",
    "linreg_total_power_low": "P in all, 10 subcarriers",
}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the energy [J] to a loss against SNR [dB], per subcarrier and of all that a worker transmits.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    for ax, (name, title) in zip(axes, PANELS.items(), strict=True):
        plot.to_target(data[name], "snr_db", "energy", TARGET, ax=ax)
        ax.set_title(title)
    axes[1].set_ylabel("")
    return fig


STUDY = Study(
    title="Linear regression: transmitted energy to a loss of 1e-3 (section V-C)",
    scenarios=tuple(PANELS),
    draw=draw,
    caption=(
        "Energy that all workers transmit until the loss has come to 1e-3; median and quartiles of 5 seeds. Hollow: "
        "the loss meets the target where the gap changes its sign, and does not stay there. The data are California "
        "housing, with 100 workers. Left: SNR = P/(W·N0) is about one subcarrier, and a worker radiates P on each that "
        "it uses. A digital worker with many subcarriers therefore radiates more than an analog one with 6. Right: P "
        "is all that a worker radiates at a time, shared among its subcarriers."
    ),
)
