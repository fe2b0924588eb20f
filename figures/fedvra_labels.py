"""Figure 4 of the FedVRA paper: a tenth of the samples has a label."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds."""
    parts = {
        "a tenth labelled": data["fedvra_labels_small"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Wang et al. (FedVRA): a tenth of the samples labelled (figure 4)",
    scenarios=("fedvra_labels_small",),
    draw=draw,
    caption=(
        "Embedded digits, 4 of 20 clients, 80% from two classes. FedVRA-U uses samples without labels through "
        "pseudo labels, the others use the labelled tenth alone; 3 seeds."
    ),
)
