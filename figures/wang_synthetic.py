"""Figure 2 of the FedADMM paper of Wang et al.: FedDR and FedADMM on synthetic(alpha, beta)."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy of FedDR and FedADMM against rounds, with a panel for each synthetic(α, β).

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "synthetic(0, 0)": data["wang_synthetic_0"],
        "synthetic(0.5, 0.5)": data["wang_synthetic_0_5"],
        "synthetic(1, 1)": data["wang_synthetic_1"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Wang et al.: FedDR and FedADMM coincide (figure 2)",
    scenarios=(
        "wang_synthetic_0",
        "wang_synthetic_0_5",
        "wang_synthetic_1",
    ),
    draw=draw,
    caption=(
        "Test accuracy of the 60-32-10 network, 10 of 30 clients with samples of their own law. Settings: 300 local "
        "steps of batch 2, learning rate 0.01, eta = 1, 3 seeds, 200 rounds."
    ),
)
