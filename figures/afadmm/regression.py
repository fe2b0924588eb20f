"""Figures of the A-FADMM paper on linear regression: 3(a) to 3(c), 5(a), energy, and other readings of the paper."""

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.gallery.panels import beside, legend_under, renamed
from figures.gallery.pictures import Results
from otafl.results import figure_files, plot
from otafl.results.axis_labels import legend_below, outer_names

BUDGETS = (1e5, 2e5)
"""Channel uses of figure 3(b)."""
TARGET = 1e-3
"""Loss of the figure on energy."""


def quickstart(data: Results) -> Figure:
    """Return the loss of the quickstart study against time slots."""
    return figure_files.figure(data["quickstart"])


def linreg_communication(data: Results) -> Figure:
    """Return the loss against time slots, with both readings of D-FADMM's consensus, and two other losses beside it."""
    titles = {
        "linreg_communication": "local models, each own $f_n$",
        "linreg_communication_global": "local models, $f$ of all (section V-A)",
        "linreg_communication_server": "global model",
    }
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.0), sharex=True, sharey=True)
    for ax, (name, title) in zip(axes, titles.items(), strict=True):
        plot.curves(data[name].drop_sel({"scheme": "D-GD"}, errors="ignore"), ax=ax)
        ax.axhline(1e-4, color="k", linewidth=0.5)
        ax.set_title(title, fontsize=8)
    first = axes[0]
    place = data["linreg_communication"].sizes["scheme"] - 1
    plot.curves(renamed(data["linreg_communication_weighted"], "weighted"), ax=first, first=place)
    first.set(ylim=(1e-8, 1e2), xlim=(0.5, 3e4))
    legend_below(fig, first)
    _named_at_the_left(axes)
    return fig


def linreg_energy(data: Results) -> Figure:
    """Return the loss at two budgets of channel uses against SNR, with three losses and two readings of a use."""
    titles = {
        "linreg_energy": "each own $f_n$",
        "linreg_energy_global": "$f$ of all (section V-A)",
        "linreg_energy_server": "global model",
        "linreg_energy_printed": "each own $f_n$, uses as printed",
    }
    fig, axes = plt.subplots(2, 2, figsize=(7.0, 5.4), sharex=True, sharey=True)
    for ax, (name, title) in zip(axes.flat, titles.items(), strict=True):
        first = 0
        for part in [
            data[name],
            *(renamed(data[other], "weighted") for other in [f"{name}_weighted"] if other in data),
        ]:
            plot.at_budget(part, "snr_db", "channel_uses", BUDGETS, ax=ax, first=first)
            first += len(BUDGETS) * part.sizes["scheme"]
        ax.set_title(title)
        ax.get_legend().remove()
    axes[0, 0].set_ylim(1e-9, 1e2)
    outer_names(fig, axes)
    _legend(fig, axes[0, 0])
    return fig


def linreg_joules(data: Results) -> Figure:
    """Return the energy [J] to a loss against SNR [dB], per subcarrier and of all that a worker transmits."""
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    for ax, name in zip(axes, ("linreg_energy_uncapped", "linreg_total_power_low"), strict=True):
        plot.to_target(data[name], "snr_db", "energy", TARGET, ax=ax)
    axes[0].set_title("P on each subcarrier, one slot")
    axes[1].set_title("P in all, 10 subcarriers")
    _named_at_the_left(axes)
    return fig


def linreg_scalability(data: Results) -> Figure:
    """Return channel uses to a loss against workers, for a fixed loss and one that grows with them.

    The data of all workers together are fixed, or grow with them.
    """
    readings = {"": "", "weighted": "_weighted", "as printed": "_printed"}
    fixed = {name: data[f"linreg_scalability{suffix}"] for name, suffix in readings.items()}
    growing = {"": data["linreg_scalability_growing"]}
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 3.0), sharey=True)
    _uses(axes[0], "20,000 samples, to $10^{-4}$", fixed)
    _uses(axes[1], "20,000 samples, to $10^{-6} N$", fixed, scaled=True)
    _uses(axes[2], "100 samples each, to $10^{-6} N$", growing, scaled=True)
    _named_at_the_left(axes)
    axes[0].set_ylabel("Channel uses to the loss above")
    _legend(fig, axes[0])
    return fig


def _uses(ax: Axes, title: str, parts: Results, scaled: bool = False) -> None:
    """Draw channel uses to a loss of 1e-4, or of 1e-6 per worker, against workers, for each reading."""
    for place, (reading, part) in enumerate(parts.items()):
        scale = 100 / part["workers"] if scaled else 1.0
        part = renamed(part.assign(loss=part["loss"] * scale), reading)
        plot.to_target(part, "workers", "channel_uses", 1e-4, ax=ax, first=2 * place)
    ax.set_title(title)
    ax.legend().remove()


def linreg_penalty(data: Results) -> Figure:
    """Return the loss against iterations for each penalty ρ, with A-FADMM and two readings of D-FADMM as panels."""
    fig, axes = plt.subplots(1, 3, figsize=(7.0, 2.5), sharey=True)
    both, weighted = data["linreg_penalty"], data["linreg_penalty_weighted"]
    parts = {
        "A-FADMM": both.sel(scheme="A-FADMM", drop=True),
        "D-FADMM": both.sel(scheme="D-FADMM", drop=True),
        "D-FADMM, weighted": weighted.sel(scheme="D-FADMM", drop=True),
    }
    for ax, (title, part) in zip(axes, parts.items(), strict=True):
        plot.curves(part, x="iteration", ax=ax)
        ax.set(title=title, ylim=(1e-8, 1e2))
        ax.legend(fontsize=6, loc="lower left")
    _named_at_the_left(axes)
    return fig


def linreg_readings(data: Results) -> Figure:
    """Return the loss under other readings of the A-FADMM paper beside that under the defaults, a panel each."""
    fig, axes = plt.subplots(3, 2, figsize=(7.0, 7.2))
    both, digital = ["A-FADMM", "D-FADMM"], ["D-FADMM", "D-FADMM-10x"]
    readings = {
        "local loss": (both, "sum", "sum"),
        "step of A-GD": (["A-GD"], "mean", "mean"),
        "Shannon rate": (digital, "amplitude", "|h|"),
        "f of the loss": (both, "global", "mean of all"),
        "first models and duals": (both, "random", "random"),
    }
    for ax, (title, (schemes, suffix, words)) in zip(axes.flat, readings.items(), strict=False):
        default = data["linreg_communication"].sel(scheme=schemes)
        beside(ax, default, data[f"linreg_communication_{suffix}"], words)
        ax.set(title=title, ylim=(1e-8, 1e4))
        legend_under(ax)
    _radio(axes[2, 1], data)
    return fig


def _radio(ax: Axes, data: Results) -> None:
    """Draw the readings of A-FADMM's power and symbols, at the larger budget."""
    readings = {"linreg_energy": "", "linreg_energy_per_upload": "P per upload", "linreg_energy_both_parts": "κ = 2"}
    for first, (name, reading) in enumerate(readings.items()):
        part: xr.Dataset = renamed(data[name].sel(scheme=["A-FADMM"]), reading)
        plot.at_budget(part, "snr_db", "channel_uses", BUDGETS[1:], ax=ax, first=first)
    ax.set_title("power budget, elements on a symbol")
    legend_under(ax)


def _named_at_the_left(axes) -> None:
    for ax in axes[1:]:
        ax.set_ylabel("")


def _legend(fig: Figure, ax: Axes) -> None:
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=6.5)
