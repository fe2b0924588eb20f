"""Figures of schemes of uplinks, one at a time: precoders, truncation, sums of integers, counts of codewords."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.gallery.panels import at_last_round, short_labels
from figures.gallery.pictures import Results
from otafl.results import plot, style
from otafl.results.axis_labels import legend_below


def scheme_precoders(data: Results) -> Figure:
    """Return accuracy and aggregation error of precoders against SNR [dB], and COTAF and votes against rounds."""
    fig, ((accuracy, error), (cotaf, one_bit)) = plt.subplots(2, 2, figsize=(7.2, 5.0))
    names = "scheme_precoders", "scheme_cotaf", "scheme_one_bit"
    precoders, schedules, votes = (data[name].squeeze("scheme") for name in names)
    last = (int(precoders["iteration"].max()),)
    plot.at_budget(precoders, "snr_db", "iteration", last, y="test_accuracy", ax=accuracy)
    plot.at_budget(precoders, "snr_db", "iteration", last, y="aggregation_nmse", ax=error)
    plot.curves(schedules, "iteration", "test_accuracy", ax=cotaf)
    plot.curves(votes, "iteration", "test_accuracy", ax=one_bit)
    accuracy.set(title="FedAvg after 60 rounds", ylim=(0.7, 1.0))
    error.set_title("error of the sum in round 60")
    cotaf.set(title="COTAF at \N{MINUS SIGN}40 dB, norms as $t^{-a}$", ylim=(0.0, 1.0))
    one_bit.set(title="FedSGD by one-bit votes", ylim=(0.0, 1.0))
    words = [style.plain(str(name).replace("_", " ")) for name in precoders["uplink_scheme"].values]
    accuracy.legend(accuracy.get_lines(), words, loc="lower right")
    error.get_legend().remove()
    return fig


def scheme_truncation(data: Results) -> Figure:
    """Return the test accuracy after 10 and after 60 rounds against the truncation threshold."""
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharey=True)
    result = data["scheme_truncation"].squeeze("scheme")
    for ax, rounds in zip(axes, (10, 60), strict=True):
        plot.at_budget(result, "inversion_threshold", "iteration", (rounds,), y="test_accuracy", ax=ax)
        ax.set(title=f"after {rounds} rounds", ylim=(0.5, 1.0))
        ax.legend(loc="lower left")
    return fig


def scheme_sums(data: Results) -> Figure:
    """Return test accuracy, error of the sum and channel uses after 60 rounds against SNR [dB]."""
    titles = {
        "test_accuracy": "accuracy after 60 rounds",
        "aggregation_nmse": "error of the sum in round 60",
        "channel_uses": "uses of 60 rounds",
    }
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 2.8))
    at_last_round(data["scheme_sums"], "snr_db", titles, axes)
    axes[0].set_ylim(0.7, 1.0)
    legend_below(fig, axes[0])
    return fig


def scheme_codewords(data: Results) -> Figure:
    """Return accuracy and error of the sum after 100 rounds against SNR [dB], and accuracy against uses at 10 dB."""
    titles = {"test_accuracy": "accuracy after 100 rounds", "aggregation_nmse": "error of the sum in round 100"}
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 2.8))
    result = data["scheme_codewords"]
    plot.curves(result.sel(snr_db=10.0), "channel_uses", "test_accuracy", ax=axes[2], labels=short_labels(result))
    axes[2].set(title="accuracy at 10 dB", ylabel="", ylim=(0.0, 1.0))
    at_last_round(result, "snr_db", titles, axes)
    axes[0].set_ylim(0.0, 1.0)
    axes[1].set_ylim(1e-4, 1e3)
    legend_below(fig, axes[2])
    return fig
