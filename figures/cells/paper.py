"""Figures 3 to 5 of the A-FADMM paper with one more line: A-FADMM with weights |h|."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.afadmm.networks import with_few
from figures.gallery.panels import renamed
from figures.gallery.pictures import Results
from otafl.results import plot
from otafl.results.axis_labels import legend_below

P1 = "_p1"
PARTS = {"mnist_energy": ("mnist_energy_analog", "mnist_energy_digital")}
"""Results that stand for a scenario which is too long as a whole."""
FEW = {"mnist_scalability": "mnist_scalability_few"}
"""Results of the fewest workers, which have more rounds, by scenario."""
METHODS = {"linreg": ("A-FADMM", "D-FADMM"), "mnist": ("A-SFADMM", "D-SFADMM")}
Draw = Callable[[xr.Dataset, Axes, int], Axes]


def _curves(y: str) -> Draw:
    return lambda part, ax, first: plot.curves(part, "time_slots", y, ax, first, "median")


def _uses_to(y: str, target: float) -> Draw:
    return lambda part, ax, first: plot.to_target(part, "workers", "channel_uses", target, y, ax, first)


def _rounds_to(y: str, target: float) -> Draw:
    return lambda part, ax, first: plot.to_target(part, "rho", "iteration", target, y, ax, first)


def _at(y: str, over: str, cost: str, budget: float) -> Draw:
    return lambda part, ax, first: plot.at_budget(part, over, cost, (budget,), y, ax, first)


PANELS: dict[str, tuple[str, Draw]] = {
    "linreg_communication": ("3(a)", _curves("loss")),
    "linreg_energy": ("3(b), 200,000 uses", _at("loss", "snr_db", "channel_uses", 2e5)),
    "linreg_scalability": ("3(c), to $10^{-4}$", _uses_to("loss", 1e-4)),
    "linreg_penalty": ("5(a), to $10^{-4}$", _rounds_to("loss", 1e-4)),
    "mnist_communication": ("4(a)", _curves("test_accuracy")),
    "mnist_energy": ("4(b), 60 million uses", _at("test_accuracy", "snr_db", "channel_uses", 6e7)),
    "mnist_scalability": ("4(c), to 0.9", _uses_to("test_accuracy", 0.9)),
    "mnist_penalty": ("5(b), after 200 rounds", _at("test_accuracy", "rho", "iteration", 200)),
}
"""Title of the panel and function that draws a part of the result, by scenario."""
LEGEND = ("A-FADMM, A-SFADMM", "D-FADMM, D-SFADMM", "A-FADMM and A-SFADMM with p = 1")
"""Texts of the legend, for the upper and the lower row."""


def cell_paper(data: Results) -> Figure:
    """Return figures 3(a) to 3(c) and 5(a) above, 4(a) to 4(c) and 5(b) below, each with weights |h| as well."""
    fig, axes = plt.subplots(2, 4, figsize=(7.2, 3.8))
    for ax, (name, (title, drawn)) in zip(axes.flat, PANELS.items(), strict=True):
        for first, line in enumerate(lines(data, name)):
            drawn(line.expand_dims("scheme"), ax, first)
        ax.set_title(title)
    axes[0, 0].set_ylim(1e-6, 1e2)
    for ax in axes[1, [0, 1, 3]]:
        ax.set_ylim(0.8, 1.0)
    for line, text in zip(axes[0, 0].get_legend_handles_labels()[0], LEGEND, strict=True):
        line.set_label(text)
    legend_below(fig, axes[0, 0])
    return fig


def lines(data: Results, name: str) -> list[xr.Dataset]:
    """Return the results of the analog method, of the digital one, and of the analog one with weights |h|."""
    analog, digital = METHODS[name.split("_")[0]]
    if name in PARTS:
        paper = [data[part] for part in PARTS[name]]
    else:
        paper = [_whole(data, name).sel(scheme=scheme) for scheme in (analog, digital)]
    return [*paper, renamed(_whole(data, name, P1), "p = 1")]


def _whole(data: Results, name: str, reading: str = "") -> xr.Dataset:
    """Return the result of a scenario, in which the fewest workers have more rounds where there are such."""
    whole = data[name + reading]
    return with_few(whole, data[FEW[name] + reading]) if name in FEW else whole
