"""Broadband analog aggregation: its truncation threshold, and its latency beside digital uploads."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.study import Study
from otafl.results import plot

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
    ratio = ratios(data["field_latency"])
    latency.loglog(ratio["workers"], ratio, marker="o", label="measured")
    latency.loglog(ratio["workers"], ratio[0] * ratio["workers"] / ratio["workers"][0], "k:", label="in proportion")
    latency.set(title="latency", xlabel="Workers $N$", ylabel="slots, digital over analog")
    latency.legend()
    return fig


def ratios(data: xr.Dataset) -> xr.DataArray:
    """Return slots of digital uploads over those of analog ones, as means over seeds. Dimension workers.

    Arguments:
        data: result over schemes, workers, seed and iteration.
    """
    slots = data["time_slots"].isel(iteration=-1).mean("seed")
    return slots.sel(scheme="FedAvg@digital", drop=True) / slots.sel(scheme="FedAvg@analog", drop=True)
