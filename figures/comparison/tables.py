"""Tables of the comparison: least costs to a target, accuracies and paired differences, and the trials."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from figures.comparison import trials
from figures.comparison.schemes import PARTITIONS, PUBLISHED, SCHEMES, of, over
from figures.gallery.study import result
from otafl.results import analysis
from otafl.results.statistics import over_seeds

ROUNDS = 100
TARGETS = {"iid": 0.94, "shards": 0.88}
REFERENCE = "BAA"
MINUS = "\N{MINUS SIGN}"
CHANNELS = {"rayleigh": "Rayleigh fading", "umi": "UMi cell"}


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
    head = f"| scheme | uses to {TARGETS[partition]} | joules, CSI free | seconds | Pareto-optimal |"
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
    """Return the SNR of the best mean accuracy as text in brackets, empty where accuracy does not depend on it."""
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


def page(about: dict[str, Any]) -> str:
    """Return the text of the page: findings, costs for both partitions and channels, and the trials.

    Arguments:
        about: tables of ``figures.toml``, whose texts have places for the numbers of ``readings``.
    """
    tables = (
        f"## {CHANNELS[channel]}, {PARTITIONS[partition]}\n\n{costs(partition, channel)}"
        for channel in CHANNELS
        for partition in PARTITIONS
    )
    return "\n".join((about["after"].format(**readings()), *tables, "## Trials\n", about["trials"], trials.table()))
