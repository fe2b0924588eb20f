"""Federated methods over the air and over a digital uplink, next to A-SFADMM and D-SFADMM, against time slots."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study

TARGET = 0.9
"""Test accuracy of the table of claims."""


def draw(data: Mapping[str, xr.Dataset], cost: str = "time_slots") -> Figure:
    """Draw the test accuracy against a cost, with a row for each partition and a column for each SNR [dB].

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
        cost: name of the cost, such as "time_slots" or "energy".
    """
    rows = {"IID": "iid", "two classes": "noniid"}
    studies = {title: (data[f"air_analog_{kind}"], data[f"air_digital_{kind}"]) for title, kind in rows.items()}
    fig = panels.by_snr(studies, cost)
    for ax in fig.axes:
        ax.axhline(TARGET, color="black", linewidth=0.6, linestyle=":")
        ax.set_title(ax.get_title().replace(" -", " \N{MINUS SIGN}"))
    return fig


STUDY = Study(
    title="Over the air: test accuracy against time slots",
    scenarios=("air_analog_iid", "air_digital_iid", "air_analog_noniid", "air_digital_noniid"),
    draw=draw,
    caption=(
        "MNIST, MLP, 50 clients, Rayleigh fading, one seed, 60 rounds; dotted line: the target of the table of claims. "
        "A-SFADMM solves for duals where the channel changes, every 10 rounds, and loses accuracy at the first change. "
        "Upper row: IID; lower row: 80% of a client's samples from two classes."
    ),
)
