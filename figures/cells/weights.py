"""Figures of A-FADMM and A-SFADMM in a cell, by the exponents of their weights and by who takes part."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.channels.panels import titled
from figures.gallery.panels import by_value, finished
from figures.gallery.pictures import Results
from otafl.results import plot

DEALT = {"iid": "IID", "two_classes": "two classes"}


def cell_weights(data: Results) -> Figure:
    """Return the loss against time slots for each exponent, with a column for each channel."""
    fig = by_value(titled(data["cell_weights"]), "fading", "loss", x="time_slots")
    fig.axes[0].set_ylim(1e-6, 1e2)
    return fig


def cell_networks(data: Results) -> Figure:
    """Return the test accuracy on MNIST against time slots for each choice of weights, with a column a channel."""
    return by_value(titled(data["cell_networks"]), "fading", x="time_slots")


def cell_floor(data: Results) -> Figure:
    """Return the loss after 2,000 iterations against the weight exponent, with a panel for each SNR."""
    result = data["cell_floor"].squeeze("scheme", drop=True)
    fig, axes = plt.subplots(1, result.sizes["snr_db"], figsize=(7.2, 2.8), sharey=True)
    for snr_db, ax in zip(result["snr_db"].values, axes, strict=True):
        part = result.sel(snr_db=snr_db, drop=True)
        plot.at_budget(part, "weight_exponent", "iteration", (2000.0,), ax=ax, statistic="median")
        ax.set(title=f"{snr_db:g} dB", ylim=(1e-5, 1e1))
    return finished(fig, axes)


def cell_jumps(data: Results) -> Figure:
    """Return the test accuracy on MNIST against rounds, with a panel for each number of workers and each partition."""
    result = data["cell_jumps"]
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 4.8), sharex=True, sharey="row")
    for row, workers in zip(axes, result["workers"].values, strict=True):
        for ax, (partition, name) in zip(row, DEALT.items(), strict=True):
            part = result.sel(workers=workers, partition=partition, drop=True)
            plot.curves(part, x="iteration", y="test_accuracy", ax=ax)
            ax.set_title(f"{workers} workers, {name}")
        row[0].set_ylim(0.0 if workers < 100 else 0.6, 1.0)
    return finished(fig, axes)


def cell_reach(data: Results) -> Figure:
    """Return the test accuracy after 100 rounds against the largest path loss of participants, a panel a partition."""
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    for ax, (partition, name) in zip(axes, DEALT.items(), strict=True):
        part = data["cell_reach"].sel(partition=partition, drop=True)
        plot.at_budget(part, "largest_loss_db", "iteration", (100.0,), y="test_accuracy", ax=ax)
        ax.set(title=name, ylim=(0.0, 1.0))
    return finished(fig, axes)
