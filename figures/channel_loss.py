"""Loss of A-FADMM against the size of each imperfection of the links."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.channel_panels import Measure, Panel, against_each
from figures.study import Study

LAST = 200
PANELS = (
    Panel("channel estimation, one pilot", "pilot_snr_db", ("channel_pilots",)),
    Panel("unknown phases", "phase_error_rad", ("channel_phase",)),
    Panel("unknown delays", "timing_error_s", ("channel_timing",)),
    Panel("Rayleigh fading in time (Jakes)", "speed_m_s", ("channel_speed",)),
    Panel("line of sight (Rician)", "rician_k_db", ("channel_rician",)),
    Panel("antennas of the server, by combiner", "antennas", ("channel_antennas",)),
    Panel("antennas of each worker, by penalty", "worker_antennas", ("channel_worker_antennas",)),
    Panel("ring, 23 dBm of each worker", "radius_m", ("channel_radius",)),
    Panel("UMi, by what is left out", "most_loss_db", ("channel_covered",)),
    Panel("clipped OFDM", "peak_backoff_db", ("channel_backoff",)),
    Panel("TDL-C", "delay_spread_s", ("channel_spread",)),
    Panel("rounds between changes", "coherence_iterations", ("channel_blocks",)),
)


def floor(data: xr.Dataset) -> xr.DataArray:
    """Return the median loss over the last 200 iterations of each run.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.

    Returns:
        Shape [swept keys, seed].
    """
    return data["loss"].isel(iteration=slice(-LAST, None)).median("iteration")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the last loss of A-FADMM against each imperfection, antennas and cells, a panel each.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, _ = against_each(PANELS, data, data["channel_plain"], Measure(floor, "median", (2e-6, 2.0)))
    return fig


NOTES = """Quartiles lie within the marker where they are not seen.

* Channel estimation: each worker sends one pilot on each subcarrier in a block. With 100 workers a block lasts 110
  slots in place of 10.
* Unknown delays: they are uniform up to the value on the axis, in both directions. A subcarrier is turned the more, the
  farther it is from the band's centre.
* Speed: 10 ms pass from block to block, at 3.5 GHz.
* Antennas of each worker: they use maximum-ratio transmission, so that ρ‖h‖² grows with them.
* Ring: the path loss is 30 + 30 log10(d/m) dB from 10 m on, and the noise figure is 5 dB.
* UMi: places whose loss is above the value on the axis have no workers. The SNR is 30 dB for the median of the others.
* Clipped OFDM: peaks are cut at the value on the axis above each worker's mean power.
* TDL-C: the axis has the root mean square delay spread; workers walk."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="A-FADMM over links that are not ideal",
    scenarios=("channel_plain", *(part for panel in PANELS for part in panel.parts)),
    draw=draw,
    caption=(
        "Loss of A-FADMM at the end, the median of its last 200 iterations of 1,000, against imperfections, antennas "
        "and cells. The settings are as above, with 6 elements on 6 subcarriers of 15 kHz; median and quartiles over 5 "
        "seeds. Channel estimation, unknown phases and delays, and clipping raise it above that of known Rayleigh "
        "fading (dotted, 9.6e-5); speed and delay spread hardly change it."
    ),
    notes=NOTES,
)
