"""Figures of what imperfections of links cost: A-FADMM's loss, and the accuracy of A-SFADMM and FedAvg."""

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from figures.channels.panels import Measure, Panel, against_each
from figures.gallery.pictures import Results
from otafl.results.axis_labels import legend_below

LAST, BLOCK, METHODS = 200, 10, 2
"""Last iterations that are read, rounds of a coherence block, and methods of each panel."""
TICKS = 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98
ALONE = {"digits_blind": "FedAvg, blind", "digits_all_speak": "FedAvg, all speak"}
OVER = {
    "pilots": ("channel estimation, one pilot", "pilot_snr_db"),
    "phase": ("unknown phases", "phase_error_rad"),
    "timing": ("unknown delays", "timing_error_s"),
    "speed": ("Rayleigh fading in time (Jakes)", "speed_m_s"),
    "rician": ("line of sight (Rician)", "rician_k_db"),
    "antennas": ("antennas of the server", "antennas"),
    "worker_antennas": ("antennas of each worker", "worker_antennas"),
    "radius": ("ring, 23 dBm of each worker", "radius_m"),
    "covered": ("UMi, by what is left out", "most_loss_db"),
    "backoff": ("clipped OFDM", "peak_backoff_db"),
    "spread": ("TDL-C", "delay_spread_s"),
    "blocks": ("rounds between changes", "coherence_iterations"),
}
"""Titles and swept keys of panels, by the end of their studies' names."""
LINES = {"antennas": ", by combiner", "worker_antennas": ", by penalty"}
"""Swept key of a panel's lines, in words, by the end of the study's name."""
BESIDE = {"pilots": ("digits_all_speak",), "antennas": ("digits_blind",)}


def channel_loss(data: Results) -> Figure:
    """Return the last loss of A-FADMM against each imperfection, antennas and cells, a panel each."""
    panels = [Panel(title + LINES.get(name, ""), over, (f"channel_{name}",)) for name, (title, over) in OVER.items()]
    fig, _ = against_each(panels, data, data["channel_plain"], Measure(_floor, "median", (2e-6, 2.0)))
    return fig


def _floor(data: xr.Dataset) -> xr.DataArray:
    """Return the median loss over the last 200 iterations of each run. Shape [swept keys, seed]."""
    return data["loss"].isel(iteration=slice(-LAST, None)).median("iteration")


def channel_accuracy(data: Results) -> Figure:
    """Return A-SFADMM's and FedAvg's last test accuracy against each imperfection, antennas and cells."""
    panels = [Panel(title, over, (f"digits_{name}", *BESIDE.get(name, ()))) for name, (title, over) in OVER.items()]
    alone = {name: data[name].assign_coords(scheme=label) for name, label in ALONE.items()}
    measure = Measure(_accuracy, "mean", (0.05, 0.985))
    fig, axes = against_each(panels, {**data, **alone}, data["channel_digits"], measure)
    axes[0].set_yscale("logit")
    axes[0].set_yticks(TICKS, map(str, TICKS))
    axes[0].yaxis.set_minor_locator(NullLocator())
    legend_below(fig, axes[1])
    for ax in axes:
        if others := ax.containers[METHODS:]:
            ax.legend(handles=others, fontsize=6, loc="lower right")
    return fig


def _accuracy(data: xr.Dataset) -> xr.DataArray:
    """Return the mean test accuracy over the last coherence block of each run, 0 to 1. Shape [swept keys, seed]."""
    return data["test_accuracy"].isel(iteration=slice(-BLOCK, None)).mean("iteration")
