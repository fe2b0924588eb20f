"""What imperfect links cost A-FADMM: loss against each of their sizes."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import channels
from figures.study import Study

LAST = 200
PANELS = {
    "channel estimation, one pilot": ("pilot_snr_db", ("channel_pilots",)),
    "unknown phases": ("phase_error_rad", ("channel_phase",)),
    "unknown delays": ("timing_error_s", ("channel_timing",)),
    "Rayleigh fading in time (Jakes)": ("speed_m_s", ("channel_speed",)),
    "line of sight (Rician)": ("rician_k_db", ("channel_rician",)),
    "antennas of the server, by combiner": ("antennas", ("channel_antennas",)),
    "antennas of each worker, by penalty": ("worker_antennas", ("channel_worker_antennas",)),
    "ring, 23 dBm of each worker": ("radius_m", ("channel_radius",)),
    "UMi, by what is left out": ("most_loss_db", ("channel_covered",)),
}


def floor(data: xr.Dataset) -> xr.DataArray:
    """Median loss of the last iterations of each run."""
    return data["loss"].isel(iteration=slice(-LAST, None)).median("iteration")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Loss at the end against each imperfection, antennas and cells."""
    return channels.against_each(PANELS, data, data["channel_plain"], floor)


STUDY = Study(
    title="A-FADMM over links that are not ideal",
    scenarios=("channel_plain", *(part for _, parts in PANELS.values() for part in parts)),
    draw=draw,
    caption="",
    in_full=True,
)
