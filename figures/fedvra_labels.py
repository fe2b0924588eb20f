"""Figure 4 of the FedVRA paper: a tenth of the samples has a label."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy against rounds where a tenth of the labels is known, with pseudo labels and without.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "with pseudo labels": data["fedvra_labels_small"],
        "the labelled tenth alone": data["fedvra_labels_alone_small"],
    }
    return panels.by_study(parts, own_legends=True)


STUDY = Study(
    title="Wang et al. (FedVRA): a tenth of the samples labelled (figure 4)",
    scenarios=("fedvra_labels_small", "fedvra_labels_alone_small"),
    draw=draw,
    caption=(
        "Settings: embedded digits, 4 of 20 clients, 80% from two classes, 3 seeds. Left: all methods have pseudo "
        "labels for the samples without a label, found as FedVRA-U finds them. Its settings are γ = 0.5, d = 15, a = "
        "5. Right: the others on the labelled samples alone."
    ),
)
