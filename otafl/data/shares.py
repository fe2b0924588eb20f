"""Samples of a scenario under a seed, and the workers that they are dealt to."""

import numpy as np

from otafl import algorithms
from otafl.data import sources, user_data
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.federation import partition
from otafl.numerics import seeds
from otafl.settings.keys import Settings


def samples(settings: Settings, seed: int) -> Samples:
    """Return the samples of a run, before they are dealt to workers."""
    return sources.load(settings.problem, settings.federation.workers, seed)


def samples_of(settings: Settings, seeds_of_runs: list[int]) -> list[Samples]:
    """Return the samples of several runs, loaded once where they do not depend on the seed."""
    if sources.source(settings.problem).seeded:
        return [samples(settings, seed) for seed in seeds_of_runs]
    return [samples(settings, seeds_of_runs[0])] * len(seeds_of_runs)


def shares(settings: Settings, seed: int, of: Samples | None = None) -> partition.Shares:
    """Return indices of the training samples that a run's method uses, for each worker, labelled ones first."""
    data, federation = samples(settings, seed) if of is None else of, settings.federation
    dealt = _natural(data, settings) if federation.partition == partition.NATURAL else _dealt(data, settings, seed)
    if federation.samples_per_worker:
        dealt = partition.cut(dealt, federation.samples_per_worker)
    if federation.labelled == 1:
        return dealt
    rng = seeds.generator(seed, "labels")
    dealt = [rng.permutation(share) for share in dealt]
    unlabelled = algorithms.parse(settings.method)[0].unlabelled
    return dealt if unlabelled else [share[: kept(settings, share)] for share in dealt]


def _dealt(data: Samples, settings: Settings, seed: int) -> partition.Shares:
    """Return the samples of each worker by ``federation.partition``, from those that are not the server's."""
    rng = seeds.generator(seed, "partition")
    if not settings.problem.pretraining:
        return partition.deal(data.targets, settings.federation, rng)
    left = np.setdiff1d(np.arange(len(data.targets)), at_server(settings, seed, len(data.targets)))
    return [left[share] for share in partition.deal(data.targets[left], settings.federation, rng)]


def at_server(settings: Settings, seed: int, count: int) -> np.ndarray:
    """Return indices of the training samples on which the server trains the initial model. Shape [its samples]."""
    order = seeds.generator(seed, "pretraining").permutation(count)
    return order[: partition.of_server(settings.problem.pretraining, count)]


def _natural(data: Samples, settings: Settings) -> partition.Shares:
    count, workers = len(data.shares), settings.federation.workers
    if not count:
        lacking = f"{settings.problem.dataset!r} has no array or column {user_data.OWNER!r}"
        rule = f"needs to know whose samples they are: {lacking}"
        raise OtaflError("federation.partition", partition.NATURAL, rule)
    if count != workers:
        rule = f"must be {count}, the number of workers in {settings.problem.dataset!r}"
        raise OtaflError("federation.workers", workers, rule)
    return list(data.shares)


def kept(settings: Settings, share: np.ndarray) -> int:
    """Return how many of a worker's samples have a label that may be used: a share of all, and at least 1."""
    return max(1, round(settings.federation.labelled * len(share)))


def summary(settings: Settings, seed: int) -> list[str]:
    """Return lines of text on how many samples and labels workers have under a seed."""
    dealt, labels = shares(settings, seed), samples(settings, seed).targets
    counts = np.array([len(share) for share in dealt])
    lines = [f"samples of a worker, seed {seed}: {_spread(counts)}; {counts.sum():,} in all"]
    if settings.problem.kind == "classification":
        distinct = np.array([len(np.unique(labels[share])) for share in dealt])
        most = np.array([np.bincount(labels[share]).max() / len(share) for share in dealt])
        share = f"share of its most frequent one: {most.mean():.0%} on average"
        lines.append(f"labels of a worker: {_spread(distinct)}; {share}")
    if settings.federation.labelled < 1 and algorithms.parse(settings.method)[0].unlabelled:
        known = np.array([kept(settings, share) for share in dealt])
        lines.append(f"of which with a label that may be used: {_spread(known)}")
    return lines


def bias(settings: Settings, seed: int, out: np.ndarray) -> str:
    """Return a line of text on the samples of workers that are left out, and on the labels that are missed."""
    dealt, labels = shares(settings, seed), samples(settings, seed).targets
    heard = np.concatenate([dealt[worker] for worker in np.flatnonzero(~out)] or [np.empty(0, int)])
    every = np.concatenate(dealt)
    p, q = (np.bincount(labels[some], minlength=labels.max() + 1) / max(len(some), 1) for some in (heard, every))
    return (
        f"{out.sum()} workers are left out, with {1 - len(heard) / len(every):.0%} of the samples; "
        f"shares of labels differ by {np.abs(p - q).sum() / 2:.1%} (half of the sum of differences)"
    )


def _spread(counts: np.ndarray) -> str:
    """Return least, mean and most of some counts in words; one number where they agree."""
    if counts.min() == counts.max():
        return f"{counts[0]:,}"
    return f"{counts.min():,} to {counts.max():,}, {counts.mean():,.1f} ± {counts.std():,.1f}"
