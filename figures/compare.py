"""Schemes at their operating points: accuracy at equal uses, at equal energy and in time, and paired differences."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import compare_trials
from figures.compare_points import PARTITIONS, PUBLISHED, SCHEMES, Compared, part
from figures.study import result
from otafl.results import analysis
from otafl.results.statistics import over_seeds
from otafl.results.style import LineStyle, distinct_looks

USES, JOULES = 1.1e7, 1.0
"""Budgets of channel uses, about 100 rounds of analog uploads, and of transmitted energy [J]."""
ROUNDS = 100
TARGETS = {"iid": 0.94, "shards": 0.88}
REFERENCE = "BAA"
MINUS = "\N{MINUS SIGN}"
GROUPS = {"inversion": "analog", "coded": "votes, integers, measurements", "digital": "digital", "ADMM": "ADMM"}
"""Rows of panels, with their titles."""
COLUMNS = (
    ("energy", "Transmitted energy [J]", "channel_uses", USES),
    ("channel_uses", "Channel uses", "energy", JOULES),
    ("time", "Time [s]", "channel_uses", np.inf),
)
"""Cost on the horizontal axis with its name, and another cost with its budget."""


class Envelope(NamedTuple):
    """Best accuracy of a scheme within budgets, over its SNRs.

    Arguments:
        cost: cost on the horizontal axis. Shape [n].
        accuracy: test accuracy of each seed at the SNR of the best mean. Shape [seeds, n].
    """

    cost: np.ndarray
    accuracy: np.ndarray


def over(channel: str) -> list[Compared]:
    """Return the schemes that are compared over a channel, without the bound.

    Arguments:
        channel: "rayleigh" or "umi".
    """
    return [scheme for scheme in SCHEMES[1:] if channel in scheme.channels]


@functools.cache
def of(scheme: Compared, partition: str, channel: str) -> xr.Dataset:
    """Return the result of a scheme, over SNR (where it has one), seed and iteration.

    Arguments:
        scheme: the scheme.
        partition: "iid" or "shards".
        channel: "rayleigh" or "umi".
    """
    return result(part(scheme, partition, channel))


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


def draw(partition: str, channel: str) -> Figure:
    """Draw the accuracy of all schemes against three costs: a row of panels for each group.

    Arguments:
        partition: "iid" or "shards".
        channel: "rayleigh" or "umi".
    """
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
        axes[2].legend(fontsize=6, loc="lower right")
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


def costs(partition: str, channel: str) -> str:
    """Return a Markdown table of the least costs of each scheme to a target, and of its accuracy against the reference.

    Costs are medians over seeds, each at the SNR where it is least, in brackets. A cost is infinite where less than
    half of the seeds hold the target. Differences are paired by seed, with Student's interval of 95%.

    Arguments:
        partition: "iid" or "shards".
        channel: "rayleigh" or "umi".
    """
    data = {one.title: of(one, partition, channel) for one in over(channel)}
    spent = {name: to_target(one, TARGETS[partition]) for name, one in data.items()}
    front = pareto([tuple(point) for points in spent.values() for point in points])
    reference = last(data[REFERENCE])
    head = f"| scheme | uses to {TARGETS[partition]} | joules, CSI free | seconds | on the front |"
    lines = [f"{head} after {ROUNDS} rounds | less {REFERENCE} |", "|---|---|---|---|---|---|---|"]
    for name, points in spent.items():
        numbers = " | ".join(least(one, data[name]["snr_db"].values) for one in points.T)
        own, there = last(data[name]), any(tuple(point) in front for point in points)
        words = f"{ended(own)}{_at(data[name])}"
        lines.append(f"| {name} | {numbers} | {'yes' if there else ''} | {words} | {paired(own, reference)} |")
    return "\n".join(lines) + "\n"


def least(costs: np.ndarray, snrs: np.ndarray) -> str:
    """Return the least of the costs at several SNRs as text, with its SNR in brackets; a dash if all are infinite.

    Arguments:
        costs: a cost at each SNR. Shape [SNRs].
        snrs: the SNRs [dB]. Shape [SNRs].
    """
    place = int(np.argmin(costs))
    return "–" if np.isinf(costs[place]) else f"{costs[place]:.3g} {_bracketed(snrs[place])}"


def _at(data: xr.Dataset) -> str:
    """Return the SNR of the best mean accuracy as text in brackets, empty where all SNRs train alike."""
    means = _read(data).fillna(0.0).mean("seed")
    if (means == means[0]).all():
        return ""
    return f" {_bracketed(means['snr_db'].values[int(np.argmax(means.values))])}"


def _bracketed(snr_db: float) -> str:
    """Return an SNR [dB] in brackets, with a proper sign."""
    return f"({snr_db:g})".replace("-", MINUS)


def to_target(data: xr.Dataset, target: float) -> np.ndarray:
    """Return the uses, joules and seconds to a test accuracy at each SNR, as medians over seeds. Shape [SNRs, 3].

    Arguments:
        data: a result over SNR, seed and iteration.
        target: the accuracy.
    """
    names = ("channel_uses", "energy", "time")
    found = [analysis.to_target(data, target, name, "test_accuracy").median("seed").values for name in names]
    return np.stack([np.atleast_1d(one) for one in found], axis=-1)


def last(data: xr.Dataset) -> np.ndarray:
    """Return the test accuracies after 100 rounds, or the rounds there are, at the SNR of the best mean. Shape [seeds].

    Arguments:
        data: a result over SNR, seed and iteration.
    """
    read = _read(data)
    if "snr_db" in read.dims:
        read = read.isel(snr_db=int(np.argmax(read.fillna(0.0).mean("seed").values)))
    return read.values


def _read(data: xr.Dataset) -> xr.DataArray:
    """Return the test accuracies after 100 rounds, or the rounds there are. Shape [SNRs, seeds], or [seeds]."""
    return data["test_accuracy"].sel(iteration=slice(None, ROUNDS)).isel(iteration=-1)


def ended(accuracy: np.ndarray) -> str:
    """Return mean and standard deviation of accuracies as text, or how many seeds diverged.

    Arguments:
        accuracy: accuracies of the seeds, NaN of those that diverged. Shape [seeds].
    """
    if lost := int(np.isnan(accuracy).sum()):
        return f"{lost} of {len(accuracy)} diverged"
    return f"{accuracy.mean():.3f} ± {accuracy.std(ddof=1):.3f}"


def paired(own: np.ndarray, other: np.ndarray) -> str:
    """Return the mean difference of paired numbers with Student's interval of 95%, as text; bold if 0 is outside.

    Arguments:
        own: numbers of the seeds. Shape [seeds].
        other: numbers of the same seeds. Shape [seeds].
    """
    difference = own - other
    if np.isnan(difference).any() or not difference.any():
        return "–"
    mean, low, high = (float(one) for one in over_seeds(difference, "mean", "interval"))
    words = f"{mean:+.3f} ± {high - mean:.3f}".replace("-", MINUS)
    return f"**{words}**" if low > 0 or high < 0 else words


def pareto(points: Sequence[tuple[float, ...]]) -> set[tuple[float, ...]]:
    """Return the points that no other one undercuts: one that is nowhere higher, and somewhere lower.

    Arguments:
        points: costs of each point, infinite ones where it misses the target; a point with one is left out.
    """

    def beaten(own: tuple[float, ...]) -> bool:
        return any(all(a <= b for a, b in zip(one, own, strict=True)) and one != own for one in points)

    return {own for own in points if np.isfinite(own).all() and not beaten(own)}


def at_lowest_snr() -> tuple[int, int]:
    """Return how many of the least energies in the tables are at the lowest SNR tried, and how many there are."""
    places = [
        int(np.argmin(joules))
        for channel in CHANNELS
        for partition in PARTITIONS
        for scheme in over(channel)
        for joules in [to_target(of(scheme, partition, channel), TARGETS[partition])[:, 1]]
        if np.isfinite(joules).any()
    ]
    return places.count(0), len(places)


def readings() -> dict[str, Any]:
    """Return the numbers in the text of the page that are read from results, by their names there."""
    named = {scheme.name: scheme for scheme in SCHEMES}
    target, lowest = TARGETS["iid"], at_lowest_snr()
    free = to_target(of(named[REFERENCE], "iid", "rayleigh"), target)[:, 1].min()
    joules = analysis.to_target(result("pilots_trial"), target, "energy", "test_accuracy").median("seed")
    paid = joules.where(joules == joules.min(), drop=True).squeeze()
    at = f"{paid['snr_db'].item():g} dB with pilots of {paid['pilot_snr_db'].item():g} dB".replace("-", MINUS)
    found = {"lowest": lowest[0], "cells": lowest[1], "free": f"{free * 1e6:.2g}", "paid": f"{paid.item() * 1e6:.0f}"}
    return found | {"paid_at": at} | _published()


def _published() -> dict[str, str]:
    """Return the numbers in the text on A-SFADMM as published: its SNR, lowest accuracies and the last ones."""
    (scheme,) = (scheme for scheme in SCHEMES if scheme.method == PUBLISHED)
    data = of(scheme, "iid", "rayleigh")
    read = data.sel(snr_db=data["snr_db"].values[int(np.argmax(_read(data).mean("seed").values))])
    dips = read["test_accuracy"].sel(iteration=slice(11, None)).min("iteration").values
    at = f"{read['snr_db'].item():g} dB".replace("-", MINUS)
    return {"published_at": at, "dips": f"{dips.min():.2f} to {dips.max():.2f}", "published": ended(last(data))}


def page() -> str:
    """Return the page of the comparison: costs for both partitions and channels, and the trials."""
    tables = (
        f"## {CHANNELS[channel]}, {PARTITIONS[partition]}\n\n{costs(partition, channel)}"
        for channel in CHANNELS
        for partition in PARTITIONS
    )
    return "\n".join((HEAD.format(**readings()), *tables, "## Trials\n", TRIED, compare_trials.table()))


CHANNELS = {"rayleigh": "Rayleigh fading", "umi": "UMi cell"}
HEAD = """# Schemes against each other

Every scheme is compared at its operating point, which the [trials](#trials) found: FedAvg, or A-SFADMM and D-SFADMM,
with 20 workers on MNIST and 5 seeds. The model is the MLP with 10 local steps on batches of 50, over 4,096 subcarriers.
ADMM has 20 steps of Adam on batches of 100, four times the samples. A run has 100 rounds, one of CA-DSGD 300.

A-SFADMM p=1 κ=0.5 train is a variant of this project. Its weights are |h| β^-0.5 in place of the paper's |h|², β being
a worker's mean gain, and it trains through changes of channel, without the paper's dual flip. A-SFADMM as published has
the paper's weights and flip. It is not tuned, and has the penalties and SNRs of that variant.

SNRs tried over Rayleigh fading are the operating point of a scheme, 5 dB below and 10 dB above it. Digital uploads that
train alike at any SNR have −30 to 20 dB. The last three rows are uploads of 4 bits with another code or another
allocation of the band, and have −10 to 20 dB. The UMi cell has no workers beyond 110 dB of loss, and is not tuned. Each
scheme has the values of Rayleigh fading there, at its operating point and 20 dB above it, or at −30 to 20 dB. BAA keeps
its power on average over Rayleigh fading. In the UMi cell its worker that sends most uses 1.1 to 1.2 times that power.

Costs are medians over seeds. Each is at the SNR [dB] in brackets, where it is least, so that those of a row may belong
to different SNRs. At the lowest or highest SNR tried it is an upper bound: beyond, it may be less. A dash is a target
that most seeds miss. Accuracies are those after 100 rounds, at the SNR of the best mean; without brackets all SNRs
train alike. The front has the schemes with a point, at one SNR, that none undercuts in uses, joules and seconds
together. Differences are paired by seed: data, fading and batches are the same, the SNR is not. In bold, 0 is outside
of Student's interval of 95%. The bound is FedAvg without a channel.

## What costs leave out

Joules count uploads alone. They are bounds on what a scheme needs, and do not say which scheme needs less. Channel
state information, what workers report to the server, and the broadcast are free, in joules, uses and seconds. With
A-SFADMM a report has |h| of 20 workers on 4,096 subcarriers in each block of 10 rounds, 2.6 million bits if each number
has 32.

Pilots change the order of magnitude. BAA takes {free} microjoules to 0.94 over Rayleigh fading on equal shares. A trial
of one seed has a pilot of each worker on each subcarrier in a block, and all go by the estimates. The least found there
is {paid} microjoules, at {paid_at}.

Noise has 1e-9 W/Hz. Gains have a mean square of 1, in the UMi cell those of the median worker. Joules are in proportion
to noise over gain. With a noise figure of 5 dB and 100 dB of loss they are an eighth of those here.

Of the {cells} least energies in the tables {lowest} are at the lowest SNR tried, so that less may do.

## Findings

* To 0.94 on equal shares BAA, COTAF, truncation, phases alone and SumComp take 2.4 to 2.6 million uses. D-DSGD takes
  3.1 million at 0 dB, and top-k as many at 20 dB.
* Analog sums may be noisy. BAA comes to 0.94 at −50 dB, where errors of the sum have 30 to 300 times its energy.
* Of analog sums, phases alone (`full_power`) need the least energy at the SNRs tried, 4.4 and 8.5 microjoules; COTAF
  takes 7.3 and 10. All of these know the channel for free. Full inversion of deep fades needs more. On equal shares 2
  seeds of 5 diverge at −35 and −30 dB, and 1 at −20 dB. With two classes 1 diverges at −25 and −20 dB, and none at
  −10 dB. Least mean square errors (`MMSE`) take 2.8 and 1.2 millijoules at −25 dB, the lowest SNR tried.
* A-SFADMM p=1 κ=0.5 train takes the fewest uses on equal shares, 1.1 million, with four times the samples. After 100
  rounds it is 0.006 ± 0.004 ahead of BAA, and not told apart from the bound (0.004 ± 0.004). With two classes a worker
  it is 0.111 ± 0.060 behind BAA. D-SFADMM is 0.008 ± 0.002 ahead of BAA, and with two classes not told apart from it.
* A-SFADMM as published falls at changes of channel. At the same penalty on equal shares and {published_at} the lowest
  accuracies of the seeds beyond round 10 are {dips}. It ends at {published}.
* Votes fall behind with two classes a worker: OBDA by 0.036 ± 0.021, signSGD-MV by 0.061 ± 0.032 and FSK-MV, which
  needs no channel knowledge, by 0.088 ± 0.037. On equal shares all three are 0.009 to 0.010 behind.
* Of digital uploads over Rayleigh fading, 8 bits are not told apart from 32, at a quarter of uses and energy. 4 bits,
  at an eighth, lose 0.002 ± 0.001 on 32 with equal shares and 0.003 ± 0.002 with two classes. 2 bits lose 0.009 ± 0.001
  and 0.030 ± 0.006.
* At the same SNR, −10 to 20 dB, NR takes 1.2 to 1.8 times the uses and energy of capacity. The normal approximation
  takes 1.003 to 1.006 times of both, and a band shared so that all end at once 0.42 to 0.79 times.

In a UMi cell, where workers have different path losses:

* Analog sums that invert gains, COTAF and SumComp keep their uses on equal shares. With two classes full inversion
  does. Truncation takes 1.1 times its uses over Rayleigh fading, COTAF 1.2, SumComp 1.3 and BAA 1.4 times.
* With two classes a worker full inversion at 0 dB ends highest of analog sums, with 0.950. It leaves nobody out. It is
  not told apart from MMSE (0.002 ± 0.002), nor from 8 and 32 bits. BAA is 0.005 ± 0.001 behind at −20 dB, and
  0.004 ± 0.001 at 0 dB, so that power is not what it lacks.
* Phases alone come to 0.88 with 4 seeds of 5. They end at 0.913 ± 0.025, not told apart from BAA (−0.032 ± 0.032).
* Votes by energy (FSK-MV) weigh workers by their gains. With two classes a worker they end at 0.32, at 0 dB as at
  −20 dB.
* Digital uploads take more energy, as the rates of far workers are low: 1.9 joules with 4 bits in place of 0.14.
"""
TRIED = """Each scheme was tuned over Rayleigh fading on a seed of its own, with 40 rounds: four values of one key by
six SNRs. Taken is the trial of least SNR within 0.01 of the best accuracy, and of its values the best. Where all SNRs
train alike, it is the best value. The chosen value is at an end of its grid for A-SFADMM p=1 κ=0.5 train, D-SFADMM,
COTAF with two classes and SumComp with equal shares. The chosen SNR is the highest one for that A-SFADMM and CA-DSGD
with two classes. Beyond these ends they may do better. For that A-SFADMM with two classes, accuracies with the four
penalties are 0.766 to 0.858 at 0 dB. The seeds of the comparison deviate by 0.04 there, so that one seed does not tell
them apart.
"""
