"""The samples of a scenario and the workers that they are dealt to, under a seed."""

import functools

import numpy as np

from otafl import algorithms, seeds
from otafl.data import images, partition, regression, synthetic
from otafl.data.images import Images
from otafl.scenario.keys import Problem, Settings


def data(settings: Settings, seed: int) -> Images:
    """The samples; those of a regression in the form of images, in single precision.

    Raises:
        OtaflError: data that cannot be had.
    """
    problem, workers = settings.problem, settings.federation.workers
    if problem.kind == "linear_regression":
        return _regression(problem, seed)
    return _synthetic(problem, workers, seed) if problem.dataset == "synthetic" else images.load(problem.dataset)


@functools.lru_cache(maxsize=1)
def _regression(problem: Problem, seed: int) -> Images:
    samples = regression.load(problem, seed)
    features, target = samples.features.astype(np.float32), samples.target.astype(np.float32)
    return Images(features, target, features[:1], target[:1], scale=1.0)


_synthetic = functools.lru_cache(maxsize=1)(synthetic.load)


def shares(settings: Settings, seed: int) -> partition.Shares:
    """The training samples of each worker that its method uses; first, in random order, those whose label it may use.

    Raises:
        OtaflError: data that cannot be had or cannot be dealt in this way.
    """
    samples, federation = data(settings, seed), settings.federation
    dealt = list(samples.shares) or partition.deal(samples.labels, federation, seeds.generator(seed, "partition"))
    if federation.labelled == 1:
        return dealt
    rng = seeds.generator(seed, "labels")
    dealt = [rng.permutation(share) for share in dealt]
    return (
        dealt
        if algorithms.parse(settings.method)[0].unlabelled
        else [share[: kept(settings, share)] for share in dealt]
    )


def kept(settings: Settings, share: np.ndarray) -> int:
    """How many of a worker's samples have a label that may be used."""
    return max(1, round(settings.federation.labelled * len(share)))


def summary(settings: Settings, seed: int) -> list[str]:
    """How many samples and labels the workers have, in words."""
    dealt, labels = shares(settings, seed), data(settings, seed).labels
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
