"""Networks over five channels, against slots, uses, joules and seconds."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.channel_panels import titled
from figures.study import Study

IID, DEALT = "cell_federated_iid", "cell_federated_two_classes"


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy on MNIST of each method against each cost, on IID data, with a column for each channel.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    return panels.by_cost(titled(data[IID]), "fading", "test_accuracy", (0.5, 1.0))


NOTES = """There are 50 workers and 100 rounds. FedAvg and FedADMM-Wang invert channels. They have a fifth of
the workers in a round, with five epochs.

Accuracies are means over the last 5 rounds. FedAvg ends at 0.975. A-SFADMM with p = 1 and κ = 0.5 ends at 0.952 to
0.957 on every channel. The paper's weights end at 0.39 to 0.66 in the three cells.

D-SFADMM ends at 0.949. To 0.9 it takes 40,000 to 96,000 slots, and 5 to 11 times the seconds of A-SFADMM (medians).

With two classes a worker FedAvg ends at 0.966 and A-SFADMM at 0.923 to 0.933. Over TDL-C the paper's weights end
higher, at 0.941. D-SFADMM ends at 0.918, and FedADMM-Wang at 0.916 to 0.917."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="Networks over five channels: slots, uses, joules and seconds",
    scenarios=(IID, DEALT),
    draw=draw,
    caption=(
        "Test accuracy on MNIST (IID) against each cost over five channels, with the broadcast charged. Settings: 50 "
        "workers, 100 rounds, 40 dB at the median gain, clocks of 0.2 to 1 GHz; mean and standard deviation over 5 "
        "seeds. FedAvg over the air, with three times the local steps of A-SFADMM, leads in all four costs on every "
        "channel: it takes 81 slots to 0.9, A-SFADMM 243 to 324 (medians)."
    ),
    notes=NOTES,
)
