"""Figures of A-DSGD, broadband analog aggregation, COTAF and one-bit aggregation, redone after their papers."""

from collections.abc import Callable
from typing import Literal

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.gallery.panels import short_labels
from figures.gallery.pictures import Results
from figures.gallery.study import resolved
from otafl.results import plot
from otafl.results.axis_labels import legend_below, sparse

Place = Literal["lower left", "lower right"]


def field_a_dsgd(data: Results) -> Figure:
    """Return test accuracy against uses, a panel for each partition, with the error-free bound as a dashed line."""
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    titles = {"iid": "IID", "shards": "two classes a worker"}
    for ax, (partition, title) in zip(axes, titles.items(), strict=True):
        part = data["field_a_dsgd"].sel(partition=partition, drop=True)
        bound = part.sel(scheme="FedAdam@ideal")["test_accuracy"].mean("seed").isel(iteration=-1)
        part = part.drop_sel(scheme="FedAdam@ideal")
        plot.curves(part, "channel_uses", "test_accuracy", ax=ax, labels=short_labels(part))
        ax.axhline(float(bound), color="black", linestyle="--", linewidth=0.8, label="error-free bound")
        ax.set(title=title, ylim=(0.0, 1.0))
    legend_below(fig, axes[0])
    return fig


def field_baa(data: Results) -> Figure:
    """Return test accuracy against the threshold, and slots of digital over analog uploads against workers."""
    fig, (accuracy, latency) = plt.subplots(1, 2, figsize=(7.2, 2.6))
    thresholds = data["scheme_truncation"].squeeze("scheme").sel(snr_db=-40.0, drop=True)
    plot.at_budget(thresholds, "inversion_threshold", "iteration", (10, 60), y="test_accuracy", ax=accuracy)
    accuracy.set(title="BAA at \N{MINUS SIGN}40 dB", ylim=(0.5, 1.0))
    _legend(accuracy, lambda label: label.replace("iteration =", "round"), "lower left")
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


def field_cotaf(data: Results) -> Figure:
    """Return the loss of regression against rounds at three SNRs, and accuracy on digits by the schedule's decay."""
    fig, (losses, decays) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    part = data["field_cotaf"].squeeze("scheme").sel(update_norm_decay=[0.0, 0.5])
    part = part.assign_coords(update_norm_decay=["constant norm", "schedule"])
    labels = resolved("field_cotaf").plot.labels
    plot.curves(part, "iteration", "loss", ax=losses, statistic="median", spread="none", labels=labels)
    losses.set(title="linear regression", xscale="log", yscale="log", xlabel="Round", ylim=(1e-4, 1e3))
    plot.curves(data["scheme_cotaf"].squeeze("scheme"), "iteration", "test_accuracy", ax=decays)
    decays.set(title="digits, \N{MINUS SIGN}40 dB, norms as $t^{-a}$", ylim=(0.0, 1.0), xlabel="Round")
    return fig


def field_obda(data: Results) -> Figure:
    """Return test accuracy against rounds by channel and its estimate, and after 200 rounds against errors of phase."""
    fig, (noise, phase) = plt.subplots(1, 2, figsize=(7.2, 3.0), sharey=True)
    plot.curves(data["field_obda"], "iteration", "test_accuracy", ax=noise)
    _legend(noise, lambda label: label.split("@")[1], "lower right", fontsize=6)
    noise.set(title="by channel, \N{MINUS SIGN}30 dB", ylim=(0.0, 1.0), xlabel="Round")
    errors = data["family_votes"].sel(scheme=["FedSGD@analog OBDA", "FedSGD@digital signSGD-MV"])
    plot.at_budget(errors, "phase_error_rad", "iteration", (200,), y="test_accuracy", ax=phase)
    _legend(phase, lambda label: label.split("@")[1], "lower left")
    phase.set(title="errors of phase, \N{MINUS SIGN}20 dB", ylabel="")
    return fig


def _legend(ax: Axes, words: Callable[[str], str], place: Place, fontsize: float | None = None) -> None:
    """Put a legend into axes, with words made of the labels."""
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles, list(map(words, labels)), loc=place, fontsize=fontsize)
