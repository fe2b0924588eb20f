"""Figure 1 of the FedADMM paper of Wang et al.: FedDR and FedADMM on images."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study

PANELS = {"MNIST": "wang_images_mnist", "digits": "wang_images_small"}


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedDR and FedADMM on images against rounds, with a panel for each data set.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_study({title: data[name] for title, name in PANELS.items()})


STUDY = Study(
    title="Wang et al.: FedDR and FedADMM coincide on images, too (figure 1)",
    scenarios=tuple(PANELS.values()),
    draw=draw,
    caption=(
        "The two lines are one. FedADMM of Wang et al. and FedDR are one iteration in two sets of variables, on images "
        "as on synthetic data. Left: MNIST in place of FEMNIST, CNN, 10 of 20 clients, Dirichlet with 0.3, one seed, "
        "20 rounds. Right: embedded digits, 3 seeds."
    ),
)
