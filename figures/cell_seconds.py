"""FedAvg over the air and digital, against slots and seconds."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import legend_below, outer_names

AXES = ("time_slots", "time")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy against time slots, and against seconds, a panel each.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, axes = plt.subplots(1, len(AXES), figsize=(7.2, 2.8), sharey=True)
    for x, ax in zip(AXES, axes, strict=True):
        plot.curves(data["air_seconds"], x=x, y="test_accuracy", ax=ax)
        ax.set_ylim(0.0, 1.0)
    legend_below(fig, axes[0])
    outer_names(fig, axes[None])
    return fig


NOTES = """Slots count uploads. Seconds also count local computation, at clocks between 0.2 and 1 GHz, and the broadcast
at the rate of the weakest listener.

To 0.9, FedAvg takes:

| uploads | slots | seconds |
|---|---|---|
| over the air | 330 | 4.1 |
| over the air, deadline of 50 ms | 380 | 3.7 |
| digital | 35,487 | 39 |
| digital, 4 bits an element, all end together | 2,656 | 6.3 |

Against the last, over the air is 8 times ahead in slots and 1.5 times in seconds. Computation and the broadcast take
the larger part by then. The deadline leaves out 3 to 5 workers in a round."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="FedAvg over the air and digital, in slots and in seconds",
    scenarios=("air_seconds",),
    draw=draw,
    caption=(
        "Test accuracy of FedAvg over the air and digital, against slots and against seconds. Digits of two classes a "
        "worker, 20 workers, 10 dB; mean and standard deviation over 3 seeds. To an accuracy of 0.9, over the air is "
        "108 times ahead of digital uploads in slots, but 10 times in seconds."
    ),
    notes=NOTES,
)
