"""What imperfect links cost networks: test accuracy of A-SFADMM and FedAvg over the air against each of their sizes."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import channels
from figures.panels import final
from figures.study import Study
from otafl.results.axes import legend_below

BLOCK = 10
PANELS = {
    "channel estimation, one pilot": ("pilot_snr_db", ("digits_pilots",)),
    "unknown phases": ("phase_error_rad", ("digits_phase",)),
    "unknown delays": ("timing_error_s", ("digits_timing",)),
    "Rayleigh fading in time (Jakes)": ("speed_m_s", ("digits_speed",)),
    "line of sight (Rician)": ("rician_k_db", ("digits_rician",)),
    "antennas of the server": ("antennas", ("digits_antennas", "digits_blind")),
    "antennas of each worker": ("worker_antennas", ("digits_worker_antennas",)),
    "ring, 23 dBm of each worker": ("radius_m", ("digits_radius",)),
    "UMi, by what is left out": ("most_loss_db", ("digits_covered",)),
}


def accuracy(data: xr.Dataset) -> xr.DataArray:
    """Mean test accuracy of the last coherence block of each run."""
    return final(data, BLOCK)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy at the end against each imperfection, antennas and cells."""
    blind = data["digits_blind"].assign_coords(scheme=["FedAvg, blind"])
    fig, made = channels.against_each(PANELS, {**data, "digits_blind": blind}, data["channel_digits"], accuracy)
    made[0].set_ylim(0.0, 1.0)
    legend_below(fig, made[5])
    return fig


STUDY = Study(
    title="A-SFADMM and FedAvg over links that are not ideal",
    scenarios=("channel_digits", *(part for _, parts in PANELS.values() for part in parts)),
    draw=draw,
    caption="",
    in_full=True,
)
