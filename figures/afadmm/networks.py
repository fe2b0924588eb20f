"""Figures of the A-FADMM paper on MNIST: 4(a) to 4(c), 5(b), 6 and 7, and other readings of the paper."""

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.panels import beside, by_value, renamed
from figures.gallery.pictures import Results
from otafl.results import plot
from otafl.results.axis_labels import legend_below

BUDGETS = (3e7, 6e7)
"""Channel uses of figure 4(b)."""
TARGET = 0.9
"""Test accuracy of figure 4(c)."""


def mnist_communication(data: Results) -> Figure:
    """Return the test accuracy against time slots, with both readings of D-SFADMM's consensus."""
    fig, ax = plt.subplots(figsize=(3.5, 3.1))
    plain = data["mnist_communication"].drop_sel(scheme="D-SGD")
    weighted = renamed(data["mnist_communication_weighted"], "weighted")
    plot.curves(plain, y="test_accuracy", ax=ax)
    plot.curves(data["mnist_communication_wide"], y="test_accuracy", ax=ax, first=plain.sizes["scheme"])
    plot.curves(weighted, y="test_accuracy", ax=ax, first=plain.sizes["scheme"] + 1)
    ax.set_ylim(0.4, 1.0)
    ax.legend().remove()
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=6)
    return fig


def mnist_readings(data: Results) -> Figure:
    """Return the test accuracy under other readings of the A-FADMM paper against rounds, beside the defaults."""
    both = ["A-SFADMM", "D-SFADMM"]
    readings = {
        "change of channel": (["A-SFADMM"], "train", "train"),
        "mini-batches": (both, "minibatch", "one a round"),
        "first models and duals": (both, "random", "random"),
        "consensus": (["D-SFADMM"], "weighted", "weighted"),
        "uploads of A-SGD": (["A-SGD", "D-SGD"], "models", "models"),
    }
    fig, axes = plt.subplots(3, 2, figsize=(7.0, 7.2), sharey=True)
    for ax, (title, (schemes, suffix, words)) in zip(axes.flat, readings.items(), strict=False):
        names = "mnist_communication", f"mnist_communication_{suffix}"
        default, other = (data[name].sel(scheme=schemes) for name in names)
        beside(ax, default, other, words, x="iteration", y="test_accuracy")
        ax.set_title(title)
    plot.curves(data["mnist_threshold"].squeeze("scheme"), x="iteration", y="test_accuracy", ax=axes[2, 1])
    axes[2, 1].set_title("A-SGD by threshold ε")
    for ax in axes.flat:
        ax.legend(fontsize=6, loc="lower right")
    axes[0, 0].set_ylim(0.0, 1.0)
    return fig


def mnist_energy(data: Results) -> Figure:
    """Return the test accuracy at 30 and 60 million channel uses against SNR [dB]."""
    fig, ax = plt.subplots(figsize=(3.5, 2.9))
    for first, part in enumerate(data.values()):
        part = part.expand_dims("scheme")
        plot.at_budget(part, "snr_db", "channel_uses", BUDGETS, y="test_accuracy", ax=ax, first=2 * first)
    for line, shade in zip(ax.get_lines()[: len(BUDGETS)], ax.collections[: len(BUDGETS)], strict=True):
        line.set_linestyle("none")  # two SNRs were run
        shade.remove()
    ax.set_ylim(0.75, 1.0)
    legend_below(fig, ax)
    return fig


def mnist_scalability(data: Results) -> Figure:
    """Return the channel uses to a test accuracy of 0.9 against the number of workers."""
    fig, ax = plt.subplots()
    whole = with_few(data["mnist_scalability"], data["mnist_scalability_few"])
    plot.to_target(whole, "workers", "channel_uses", TARGET, "test_accuracy", ax=ax)
    return fig


def with_few(data: xr.Dataset, few: xr.Dataset) -> xr.Dataset:
    """Return a result in which the fewest workers have more rounds, NaN after the last round of the others.

    With few workers the target is met, lost at changes of channel, and held only after as many rounds.

    Arguments:
        data: result over workers, dataset with further dimensions.
        few: result of the fewest workers, with more rounds, which takes their place.
    """
    later = data.sel(workers=data["workers"] > few["workers"].max())
    return xr.concat([few, later], "workers", join="outer")


def mnist_penalty(data: Results) -> Figure:
    """Return the test accuracy by penalty ρ against rounds, with a panel for each method."""
    return by_value(data["mnist_penalty"], "scheme")


def mnist_local_steps(data: Results) -> Figure:
    """Return the test accuracy by number of local steps against rounds, with a panel for each method."""
    return by_value(data["mnist_local_steps"], "scheme", lowest=0.6)


def mnist_learning_rate(data: Results) -> Figure:
    """Return the test accuracy by learning rate against rounds, with a panel for each method."""
    return by_value(data["mnist_learning_rate"], "scheme")
