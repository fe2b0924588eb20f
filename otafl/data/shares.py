"""The samples of a scenario and the workers that they are dealt to, under a seed."""

import numpy as np

from otafl import algorithms, seeds
from otafl.data import partition, sources, user_data
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.settings.keys import Settings


def samples(settings: Settings, seed: int) -> Samples:
    """The samples that a run learns from.

    Raises:
        OtaflError: data that cannot be had.
    """
    return sources.load(settings.problem, settings.federation.workers, seed)


def samples_of(settings: Settings, seeds_of_runs: list[int]) -> list[Samples]:
    """Those of several runs, loaded once where they do not depend on the seed.

    Raises:
        OtaflError: data that cannot be had.
    """
    if sources.source(settings.problem).seeded:
        return [samples(settings, seed) for seed in seeds_of_runs]
    return [samples(settings, seeds_of_runs[0])] * len(seeds_of_runs)


def shares(settings: Settings, seed: int, found: Samples | None = None) -> partition.Shares:
    """The training samples of each worker that its method uses; first, in random order, those whose label it may use.

    ``found`` are the samples, where they are at hand.

    Raises:
        OtaflError: data that cannot be had or cannot be dealt in this way.
    """
    found, federation = samples(settings, seed) if found is None else found, settings.federation
    if federation.partition == partition.NATURAL:
        dealt = _own(found, settings)
    else:
        dealt = partition.deal(found.targets, federation, seeds.generator(seed, "partition"))
    if federation.samples_per_worker:
        dealt = partition.cut(dealt, federation.samples_per_worker)
    if federation.labelled == 1:
        return dealt
    rng = seeds.generator(seed, "labels")
    dealt = [rng.permutation(share) for share in dealt]
    unlabelled = algorithms.parse(settings.method)[0].unlabelled
    return dealt if unlabelled else [share[: kept(settings, share)] for share in dealt]


def _own(found: Samples, settings: Settings) -> partition.Shares:
    """The samples of each worker as the data have them."""
    count, workers = len(found.shares), settings.federation.workers
    if not count:
        rule = f"needs to know whose samples they are: {settings.problem.dataset!r} has no array {user_data.OWNER!r}"
        raise OtaflError("federation.partition", partition.NATURAL, rule)
    if count != workers:
        raise OtaflError("federation.workers", workers, f"must be {count}, as {settings.problem.dataset!r} has so many")
    return list(found.shares)


def kept(settings: Settings, share: np.ndarray) -> int:
    """How many of a worker's samples have a label that may be used."""
    return max(1, round(settings.federation.labelled * len(share)))


def summary(settings: Settings, seed: int) -> list[str]:
    """How many samples and labels the workers have, in words."""
    dealt, labels = shares(settings, seed), samples(settings, seed).targets
    counts = np.array([len(share) for share in dealt])
    lines = [f"samples of a worker, seed {seed}: {_spread(counts)}; {counts.sum():,} in all"]
    if settings.problem.kind == "classification":
        own = np.array([len(np.unique(labels[share])) for share in dealt])
        most = np.array([np.bincount(labels[share]).max() / len(share) for share in dealt])
        lines.append(
            f"labels of a worker: {_spread(own)}; share of its most frequent one: {most.mean():.0%} on average"
        )
    if settings.federation.labelled < 1 and algorithms.parse(settings.method)[0].unlabelled:
        known = np.array([kept(settings, share) for share in dealt])
        lines.append(f"of which with a label that may be used: {_spread(known)}")
    return lines


def _spread(counts: np.ndarray) -> str:
    """Least, mean and most of some counts, one number where they agree."""
    if counts.min() == counts.max():
        return f"{counts[0]:,}"
    return f"{counts.min():,} to {counts.max():,}, {counts.mean():,.1f} ± {counts.std():,.1f}"
