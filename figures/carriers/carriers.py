"""Figures of schemes whose carriers are not synchronised, or whose workers move while they send."""

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.panels import finished
from figures.gallery.pictures import Results
from otafl.results import analysis, plot

TARGET = 0.9
"""Test accuracy to which costs are shown."""
PERIODS = ("", "_2", "_4")
"""Ends of names of studies that differ in the period of pilots."""
COSTS = {"channel_uses": ("channel uses", 1.5e9), "energy": ("joules", 150.0)}
"""Costs in words, with the ends of their axes, beyond which digital uploads by the largest offsets lie."""


def carrier_offset(data: Results) -> Figure:
    """Return the last accuracy, and uses and energy to an accuracy of 0.9, against the carrier offset."""
    return _by_error(data, "carrier_offset", "carrier_offset_ppm", 0.001)


def carrier_motion(data: Results) -> Figure:
    """Return the last accuracy, and uses and energy to an accuracy of 0.9, against the speed of workers."""
    return _by_error(data, "carrier_motion", "speed_m_s", 1.0)


def carrier_regression(data: Results) -> Figure:
    """Return the uses to a loss of 0.01 of A-FADMM and D-FADMM, against the carrier offset and the speed."""
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6), sharey=True)
    swept = {"carrier_regression": ("carrier_offset_ppm", 0.001), "carrier_regression_motion": ("speed_m_s", 0.3)}
    for ax, (name, (over, least)) in zip(axes, swept.items(), strict=True):
        plot.to_target(_swept(data[name]), over, "channel_uses", 1e-2, "loss", ax=ax)
        _from_zero(np.array([ax]), least)
    return finished(fig, axes)


def _by_error(data: Results, name: str, over: str, least: float) -> Figure:
    """Return a row of panels for each data set, each point at its best period of pilots."""
    fig, axes = plt.subplots(2, 3, figsize=(7.2, 5.0), sharex=True, sharey="col")
    for row, (study, title) in zip(axes, ((name, "digits"), (f"{name}_mnist", "MNIST")), strict=True):
        best = at_best_period([data[key] for end in PERIODS if (key := study + end) in data])
        labels = {str(scheme): str(scheme).removeprefix("FedAvg@analog ") for scheme in best["scheme"].values}
        rounds = int(best["iteration"].max())
        plot.at_budget(best, over, "iteration", (rounds,), "test_accuracy", row[0], labels=labels)
        for ax, (cost, (words, _)) in zip(row[1:], COSTS.items(), strict=True):
            plot.to_target(best, over, cost, TARGET, "test_accuracy", ax=ax, labels=labels)
            ax.set_title(f"{title}, {words} to {TARGET}")
        row[0].set(ylim=(0.0, 1.0), title=f"{title}, after {rounds} rounds")
    for ax, (_, most) in zip(axes[0, 1:], COSTS.values(), strict=True):
        ax.set_ylim(top=min(most, ax.get_ylim()[1]))
    _from_zero(axes, least)
    return finished(fig, axes)


def _from_zero(axes: np.ndarray, least: float) -> None:
    """Give panels an axis with 0 and decades from the least other value on."""
    most = max(line.get_xdata().max() for ax in axes.flat for line in ax.get_lines())
    for ax in axes.flat:
        ax.set_xscale("symlog", linthresh=least)
        ax.set_xlim(-least / 3, 2 * most)


def at_best_period(results: list[xr.Dataset]) -> xr.Dataset:
    """Return results by periods of pilots as one, in which each scheme has the period with the fewest uses to 0.9.

    Those are medians over seeds. Where no period leads there, it is that of the highest last accuracy.
    """
    period = "pilot_period_slots"
    data = xr.concat(results, period) if len(results) > 1 else results[0]
    data = _swept(data)
    uses = analysis.to_target(data, TARGET, "channel_uses", "test_accuracy").median("seed")
    finite = uses.where(np.isfinite(uses))
    missed = finite.max() + 1 - data["test_accuracy"].isel(iteration=-1, drop=True).fillna(0).mean("seed")
    return data.isel({period: finite.fillna(missed).argmin(period)})


def _swept(data: xr.Dataset) -> xr.Dataset:
    """Return a result without the axes of keys that have a single value."""
    return data.squeeze([name for name in analysis.swept(data) if data.sizes[name] == 1])
