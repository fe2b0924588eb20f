"""What imperfect links cost networks: test accuracy of A-SFADMM and FedAvg over the air against each of their sizes."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.channels import Panel, Reading, against_each
from figures.panels import final
from figures.study import Study
from otafl.results.axes import legend_below

BLOCK, METHODS = 10, 2
ALONE = {"digits_blind": "FedAvg, blind", "digits_all_speak": "FedAvg, all speak"}
PANELS = (
    Panel("channel estimation, one pilot", "pilot_snr_db", ("digits_pilots", "digits_all_speak")),
    Panel("unknown phases", "phase_error_rad", ("digits_phase",)),
    Panel("unknown delays", "timing_error_s", ("digits_timing",)),
    Panel("Rayleigh fading in time (Jakes)", "speed_m_s", ("digits_speed",)),
    Panel("line of sight (Rician)", "rician_k_db", ("digits_rician",)),
    Panel("antennas of the server", "antennas", ("digits_antennas", "digits_blind")),
    Panel("antennas of each worker", "worker_antennas", ("digits_worker_antennas",)),
    Panel("ring, 23 dBm of each worker", "radius_m", ("digits_radius",)),
    Panel("UMi, by what is left out", "most_loss_db", ("digits_covered",)),
)


def accuracy(data: xr.Dataset) -> xr.DataArray:
    """Mean test accuracy of the last coherence block of each run."""
    return final(data, BLOCK)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy at the end against each imperfection, antennas and cells."""
    own = {name: data[name].assign_coords(scheme=[label]) for name, label in ALONE.items()}
    fig, made = against_each(PANELS, {**data, **own}, data["channel_digits"], Reading(accuracy, "mean", (0.0, 1.0)))
    legend_below(fig, made[1])
    for ax in made:
        if others := ax.containers[METHODS:]:
            ax.legend(handles=others, fontsize=6, loc="lower right")
    return fig


STUDY = Study(
    title="A-SFADMM and FedAvg over links that are not ideal",
    scenarios=("channel_digits", *(part for panel in PANELS for part in panel.parts)),
    draw=draw,
    caption="",
    in_full=True,
)
