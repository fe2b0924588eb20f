"""Broadband analog aggregation: its truncation threshold, and the latency of digital over analog uploads."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot
from otafl.results.axis_labels import sparse

SCENARIOS = ("scheme_truncation", "field_latency")


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw test accuracy against the threshold, and slots of digital over analog uploads against workers.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    fig, (accuracy, latency) = plt.subplots(1, 2, figsize=(7.2, 2.6))
    thresholds = data["scheme_truncation"].squeeze("scheme").sel(snr_db=-40.0, drop=True)
    plot.at_budget(thresholds, "inversion_threshold", "iteration", (10, 60), y="test_accuracy", ax=accuracy)
    accuracy.set(title="BAA at \N{MINUS SIGN}40 dB", ylim=(0.5, 1.0))
    handles, labels = accuracy.get_legend_handles_labels()
    accuracy.legend(handles, [label.replace("iteration =", "round") for label in labels], loc="lower left")
    ratio = ratios(data["field_latency"])
    latency.loglog(ratio["workers"], ratio, "o-", label="measured")
    latency.loglog(ratio["workers"], ratio[0] * ratio["workers"] / ratio["workers"][0], "k:", label="in proportion")
    latency.set(title="slots of digital over analog uploads", xlabel="Workers $N$", ylabel="Ratio")
    sparse(latency)
    latency.legend()
    return fig


def ratios(data: xr.Dataset) -> xr.DataArray:
    """Return slots of digital uploads over those of analog ones, as means over seeds. Dimension workers.

    Arguments:
        data: result over the schemes FedAvg@analog and FedAvg@digital, workers, seed and iteration.
    """
    slots = data["time_slots"].isel(iteration=-1).mean("seed")
    return slots.sel(scheme="FedAvg@digital", drop=True) / slots.sel(scheme="FedAvg@analog", drop=True)


STUDY = Study(
    title="Zhu, Wang and Huang: truncation and latency of broadband analog aggregation",
    scenarios=SCENARIOS,
    draw=draw,
    caption=(
        "Left: accuracy of BAA against its truncation threshold (digits, −40 dB, 3 seeds) has an interior optimum, as "
        "the trade-off of its abstract implies, 0.955 with 0.03, 0.965 with 0.6 and 0.915 with 2. Right: slots of a "
        "digital upload over those of BAA (650 weights of 16 bits, 1,000 subcarriers, 10 dB, 3 seeds). The ratio is "
        "17, 34, 92, 211 and 509 for 10 to 200 workers, 30 times as much for 20 times the workers, half more than in "
        "proportion."
    ),
)
