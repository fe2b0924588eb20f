"""Figure 2 of the FedVRA paper: the steps a and d."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.round_panels import Panel, grid
from figures.study import Study
from otafl.results import style

PARTS = {"MNIST": ("fedvra_steps_mnist", (0.7, 1.0)), "digits": ("fedvra_steps_small", (0.0, 1.0))}

DUAL_STEPS = (1.0, 5.0)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedVRA against rounds, with a panel for each dual step a, on MNIST and digits.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return grid([_row(title, data[name], limits) for title, (name, limits) in PARTS.items()])


def _row(title: str, data: xr.Dataset, limits: tuple[float, float]) -> list[Panel]:
    data = data.squeeze("scheme", drop=True)
    return [
        Panel(f"{title}, {style.label('dual_step', a)}", data.sel(dual_step=a, drop=True), limits=limits)
        for a in DUAL_STEPS
    ]


STUDY = Study(
    title="Wang et al. (FedVRA): the steps a and d (figure 2)",
    scenarios=tuple(name for name, _ in PARTS.values()),
    draw=draw,
    caption=(
        "FedVRA with γ = 0.1 and 2 local epochs; 80% of a client's samples are from two classes. Above: MNIST with the "
        "MLP in place of the paper's CNN, 10 of 100 clients, learning rate 0.01, 3 seeds. Below: "
        "embedded digits, 4 of 20 clients, learning rate 0.05, 3 seeds, mean and one standard deviation."
    ),
)
