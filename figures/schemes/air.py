"""Figures of federated methods over the air and over a digital uplink, next to A-SFADMM and D-SFADMM."""

from matplotlib.figure import Figure

from figures.gallery.panels import by_snr
from figures.gallery.pictures import Results

TARGET = 0.9
"""Test accuracy at which a line is drawn."""


def air_time_slots(data: Results) -> Figure:
    """Return the test accuracy against time slots, with a row for each partition and a column for each SNR [dB]."""
    return _against("time_slots", data)


def air_energy(data: Results) -> Figure:
    """Return the test accuracy against transmitted energy, with a row for each partition and a column for each SNR."""
    return _against("energy", data)


def _against(cost: str, data: Results) -> Figure:
    rows = {"IID": "iid", "two classes": "noniid"}
    studies = {title: (data[f"air_analog_{kind}"], data[f"air_digital_{kind}"]) for title, kind in rows.items()}
    fig = by_snr(studies, cost)
    for ax in fig.axes:
        ax.axhline(TARGET, color="black", linewidth=0.6, linestyle=":")
        ax.set_title(ax.get_title().replace(" -", " \N{MINUS SIGN}"))
    return fig
