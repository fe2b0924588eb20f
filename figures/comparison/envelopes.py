"""Figures of schemes at their operating points: accuracy at equal uses, at equal energy and in time."""

from collections.abc import Iterator
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.comparison.schemes import SCHEMES, Compared, of, over
from figures.gallery.pictures import Results
from otafl.results import analysis
from otafl.results.statistics import over_seeds
from otafl.results.style import LineStyle, distinct_looks

USES, JOULES = 1.1e7, 1.0
"""Budgets of channel uses, about 100 rounds of analog uploads, and of transmitted energy [J]."""
GROUPS = {"inversion": "analog", "coded": "votes, integers, measurements", "digital": "digital", "ADMM": "ADMM"}
"""Rows of panels, with their titles."""
COLUMNS = (
    ("energy", "Transmitted energy [J]", "channel_uses", USES),
    ("channel_uses", "Channel uses", "energy", JOULES),
    ("time", "Time [s]", "channel_uses", np.inf),
)
"""Cost on the horizontal axis with its name, and another cost with its budget."""


def compare_rayleigh_iid(_: Results) -> Figure:
    """Return the figure of Rayleigh fading and IID data."""
    return _drawn("iid", "rayleigh")


def compare_rayleigh_shards(_: Results) -> Figure:
    """Return the figure of Rayleigh fading and two classes a worker."""
    return _drawn("shards", "rayleigh")


def compare_umi_iid(_: Results) -> Figure:
    """Return the figure of a UMi cell and IID data."""
    return _drawn("iid", "umi")


def compare_umi_shards(_: Results) -> Figure:
    """Return the figure of a UMi cell and two classes a worker."""
    return _drawn("shards", "umi")


class Envelope(NamedTuple):
    """Best accuracy of a scheme within budgets, over its SNRs.

    Arguments:
        cost: cost on the horizontal axis. Shape [n].
        accuracy: test accuracy of each seed at the SNR of the best mean. Shape [seeds, n].
    """

    cost: np.ndarray
    accuracy: np.ndarray


def envelope(data: xr.Dataset, cost: str, other: str, budget: float) -> Envelope:
    """Return the best accuracy within a cost, over SNRs, while another cost is within its budget.

    Arguments:
        data: a result over SNR, seed and iteration.
        cost: name of the cost on the horizontal axis.
        other: name of the cost with a budget.
        budget: the budget, in the unit of that cost.
    """
    at_snr = [data.sel(snr_db=snr_db) for snr_db in data["snr_db"].values] if "snr_db" in data.dims else [data]
    read = [one.where(one["test_accuracy"].notnull(), drop=True) for one in at_snr]
    read = [one.where(analysis.cumulative(one, other) <= budget) for one in read]
    spent = [analysis.cumulative(one, cost).mean("seed").values for one in read]
    grid = np.unique(np.concatenate([one[np.isfinite(one)] for one in spent]))
    curves = [_steps(one, cost, grid) for one in read]
    means = np.stack([curve.mean(axis=0) for curve in curves])
    best = np.nanargmax(np.where(np.isnan(means), -1.0, means), axis=0)
    accuracy = np.stack(curves)[best, :, np.arange(len(grid))].T if len(grid) else np.empty((1, 0))
    return Envelope(grid, accuracy)


def _steps(data: xr.Dataset, cost: str, grid: np.ndarray) -> np.ndarray:
    """Return the last accuracy of each seed within costs, NaN before the first. Shape [seeds, n]."""
    spent = analysis.cumulative(data, cost).transpose("seed", "iteration").values
    accuracy = data["test_accuracy"].transpose("seed", "iteration").values
    rows = []
    for costs, values in zip(spent, accuracy, strict=True):
        known = np.isfinite(costs) & np.isfinite(values)
        place = np.searchsorted(costs[known], grid * (1 + 1e-9), side="right") - 1
        rows.append(np.where(place >= 0, np.append(values[known], np.nan)[place], np.nan))
    return np.array(rows)


def _drawn(partition: str, channel: str) -> Figure:
    """Return the accuracy of all schemes against three costs: a row of panels for each group."""
    fig, grid = plt.subplots(len(GROUPS), len(COLUMNS), figsize=(7.16, 8.6), sharey=True, sharex="col")
    bound = of(SCHEMES[0], partition, channel)["test_accuracy"].isel(iteration=-1).mean().item()
    for axes, (group, title) in zip(grid, GROUPS.items(), strict=True):
        results = [(scheme, of(scheme, partition, channel)) for scheme in _of_group(group, channel)]
        for ax, (cost, words, other, budget) in zip(axes, COLUMNS, strict=True):
            for scheme, data in results:
                _band(ax, scheme, envelope(data, cost, other, budget))
            ax.axhline(bound, color="black", linewidth=0.6, linestyle=":")
            ax.set(xscale="log", ylim=(0.7, 0.99) if partition == "iid" else (0.4, 0.97))
            if group == list(GROUPS)[-1]:
                ax.set_xlabel(words)
        axes[0].set_ylabel(f"Test accuracy, {title}")
        axes[2].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for ax, title in zip(grid[0], (f"within {USES:,.0f} uses", f"within {JOULES:g} J", "any cost"), strict=True):
        ax.set_title(title)
    return fig


def _of_group(group: str, channel: str) -> Iterator[Compared]:
    """Yield the schemes of a row; ADMM stands beside two others."""
    beside = ("full power", "4 bits") if group == "ADMM" else ()
    yield from (scheme for scheme in over(channel) if scheme.group == group or scheme.name in beside)


def _band(ax: Axes, scheme: Compared, found: Envelope) -> None:
    """Draw the mean over seeds with its confidence interval of 95%."""
    if not found.cost.size:
        return
    (number,) = distinct_looks([scheme.method])
    line = LineStyle(number, number).line
    spread = over_seeds(found.accuracy, "mean", "interval")
    every = max(1, len(found.cost) // 8)
    ax.plot(found.cost, spread.centre, color=line["color"], marker=line["marker"], markevery=every, label=scheme.title)
    ax.fill_between(found.cost, spread.low, spread.high, color=line["color"], alpha=0.2, linewidth=0)
