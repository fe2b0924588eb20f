"""Figures of further families: votes, errors of phase, neighbours, edges, Byzantine workers, surfaces, adapters."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.gallery.panels import after_and_against_uses, finished, short_labels
from figures.gallery.pictures import Results
from otafl.results import plot
from otafl.results.axis_labels import legend_below

TARGET = 0.9
"""Test accuracy to which costs are shown."""
FULL_RANK = 128
"""Largest rank of a weight matrix of the MLP 784-128-64-10, whose whole weights stand last in a legend."""


def family_votes(data: Results) -> Figure:
    """Return the test accuracy after 200 rounds against the phase error of workers, and without errors against uses."""
    return after_and_against_uses(data["family_votes"], "phase_error_rad", 0.0, 200)


def family_energies(data: Results) -> Figure:
    """Return the test accuracy after 200 rounds against the SNR, and at −30 dB against uses."""
    return after_and_against_uses(data["family_energies"], "snr_db", -30.0, 200)


def family_phases(data: Results) -> Figure:
    """Return channel uses and energy to an accuracy of 0.9, and the last accuracy, against each kind of error."""
    swept = {"family_phases": "phase_error_rad", "family_pilots": "pilot_snr_db"}
    fig, axes = plt.subplots(2, 3, figsize=(7.2, 4.4), sharey="col")
    for row, (name, over) in zip(axes, swept.items(), strict=True):
        part = data[name].squeeze([key for key in swept.values() if key in data[name].dims and key != over])
        for ax, cost in zip(row, ("channel_uses", "energy"), strict=False):
            plot.to_target(part, over, cost, TARGET, "test_accuracy", ax=ax, labels=short_labels(part))
        plot.at_budget(part, over, "iteration", (100,), "test_accuracy", row[2])
        row[2].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0, 0])
    return fig


def family_neighbours(data: Results) -> Figure:
    """Return the channel uses to an accuracy of 0.9, and the last accuracy, against the activity of neighbours."""
    result = data["family_neighbours"]
    fig, (uses, last) = plt.subplots(1, 2, figsize=(7.0, 2.6))
    plot.to_target(result, "activity", "channel_uses", TARGET, "test_accuracy", ax=uses, labels=short_labels(result))
    plot.at_budget(result, "activity", "iteration", (100,), "test_accuracy", last)
    uses.set_xscale("linear")
    last.set(xscale="linear", ylim=(0.85, 1.0))
    legend_below(fig, uses)
    return fig


def family_edges(data: Results) -> Figure:
    """Return the last test accuracy, and the channel uses of 100 rounds, against the number of edge servers."""
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.4))
    result = data["family_edges"]
    for ax, y in zip(axes, ("test_accuracy", "channel_uses"), strict=True):
        plot.at_budget(result, "edges", "iteration", (100,), y, ax, labels=short_labels(result))
    axes[0].set_ylim(0.0, 1.0)
    legend_below(fig, axes[0])
    return fig


def fails_hostile(data: Results) -> Figure:
    """Return the test accuracy after 40 rounds against the share of Byzantine workers."""
    fig, ax = plt.subplots(figsize=(4.6, 3.0))
    plot.at_budget(data["fails_hostile"], "hostile", "iteration", (40,), y="test_accuracy", ax=ax)
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles, [label.replace("@", ", ", 1) for label in labels], loc="lower left")
    ax.set(xlabel="Share of Byzantine workers", ylim=(0.0, 1.0))
    return fig


def family_surface(data: Results) -> Figure:
    """Return the test accuracy after 20 and 60 rounds against a surface's elements, a panel for each place and SNR."""
    rounds, titles = (20, 60), {"surface_elements": "20 workers around", "surface_liu": "far cluster of 40"}
    fig, axes = plt.subplots(len(titles), 2, figsize=(7.2, 5.0), sharey=True)
    for row, (name, workers) in zip(axes, titles.items(), strict=True):
        result = data[name].squeeze("scheme")
        for ax, snr_db in zip(row, result["snr_db"].values, strict=True):
            part = result.sel(snr_db=snr_db, drop=True)
            plot.at_budget(part, "surface_elements", "iteration", rounds, y="test_accuracy", ax=ax)
            ax.set(title=f"{workers}, SNR {snr_db:g} dB at the median", ylim=(0.0, 1.0))
            ax.legend(ax.get_lines()[: len(rounds)], [f"after {count} rounds" for count in rounds], loc="lower right")
    return fig


def adapters(data: Results) -> Figure:
    """Return test accuracy against channel uses and energy, a row for each uplink, a line for each rank."""
    titles = {"FedAvg@analog": "analog, BAA", "FedAvg@digital": "digital, 8 bits"}
    fig, axes = plt.subplots(2, 2, figsize=(7.2, 4.6), sharey=True)
    for row, (scheme, words) in zip(axes, titles.items(), strict=True):
        part = data["adapters"].sel(scheme=scheme, drop=True)
        rank = part["adapter_rank"]
        part = part.assign_coords(adapter_rank=rank.where(rank > 0, FULL_RANK)).sortby("adapter_rank")
        for ax, (cost, named) in zip(row, {"channel_uses": "channel uses", "energy": "energy"}.items(), strict=True):
            plot.curves(part, x=cost, y="test_accuracy", ax=ax)
            ax.get_lines()[-1].set_label("whole model")
            ax.set(title=f"{words}, by {named}", xscale="log", ylim=(0.87, 0.98))
    return finished(fig, axes)
