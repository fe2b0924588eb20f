"""Test accuracy of A-SFADMM and FedAvg over the air against the size of each imperfection of the links."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from figures.channel_panels import Measure, Panel, against_each
from figures.panels import final
from figures.study import Study
from otafl.results.axis_labels import legend_below

BLOCK, METHODS = 10, 2
TICKS = 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98
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
    Panel("clipped OFDM", "peak_backoff_db", ("digits_backoff",)),
    Panel("TDL-C", "delay_spread_s", ("digits_spread",)),
    Panel("rounds between changes", "coherence_iterations", ("digits_blocks",)),
)


def accuracy(data: xr.Dataset) -> xr.DataArray:
    """Return the mean test accuracy over the last 10 rounds, a coherence block, of each run, 0 to 1.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.

    Returns:
        Shape [swept keys, seed].
    """
    return final(data, BLOCK)


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw A-SFADMM's and FedAvg's last test accuracy against each imperfection, antennas and cells.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    own = {name: data[name].assign_coords(scheme=label) for name, label in ALONE.items()}
    fig, made = against_each(PANELS, {**data, **own}, data["channel_digits"], Measure(accuracy, "mean", (0.05, 0.985)))
    made[0].set_yscale("logit")
    made[0].set_yticks(TICKS, map(str, TICKS))
    made[0].yaxis.set_minor_locator(NullLocator())
    legend_below(fig, made[1])
    for ax in made:
        if others := ax.containers[METHODS:]:
            ax.legend(handles=others, fontsize=6, loc="lower right")
    return fig


NOTES = """The network has 2,368 weights. A round has 20 local steps on batches of 20. A-SFADMM has ρ = 0.5.

FedAvg inverts channels where |h| is 0.3 or more. "All speak" has a threshold of 1e-6. "Blind" workers know nothing of
their channels, and the server combines its antennas by their sum. Without them it does so by `max_min`.

All else is as in the figure on the loss of A-FADMM over such links."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="A-SFADMM and FedAvg over links that are not ideal",
    scenarios=("channel_digits", *(part for panel in PANELS for part in panel.parts)),
    draw=draw,
    caption=(
        "Test accuracy of A-SFADMM and FedAvg, the mean of rounds 91 to 100, on an axis that is stretched towards 1. "
        "Embedded digits, 20 workers, 256 subcarriers of 15 kHz with 20 dB on each; mean and standard deviation over 3 "
        "seeds. With known Rayleigh fading (dotted) either method comes to 0.965; FedAvg with its threshold withstands "
        "weak pilots and unknown phases better."
    ),
    notes=NOTES,
)
