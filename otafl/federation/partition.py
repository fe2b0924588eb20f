"""Partitions of a data set: indices of each worker's samples, drawn from one generator."""

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otafl.errors import OtaflError

if TYPE_CHECKING:
    from otafl.settings.federation import Federation

MAIN_CLASSES = 2
"""Classes that most samples of a worker belong to in "two_classes"."""
MAIN_SHARE = 0.8
"""Share of a worker's samples that belong to these classes."""

Shares = list[np.ndarray]
"""Indices of each worker's samples. Shape [samples of the worker] each."""


def deal(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return the indices of each worker's samples, dealt by ``federation.partition`` from labels, [samples]."""
    require_dealable(federation, len(labels))
    return PARTITIONS[federation.partition].deal(labels, federation, rng)


def of_server(share: float, samples: int) -> int:
    """Return the number of training samples that belong to the server, a share of all, for pre-training."""
    return max(1, round(share * samples)) if share else 0


def require_dealable(federation: "Federation", samples: int) -> None:
    """Refuse a number of samples that cannot be dealt to the workers, whatever the labels are."""
    workers, way, most = federation.workers, federation.partition, federation.samples_per_worker or 0
    if workers > samples:
        raise OtaflError("federation.workers", workers, f"must not exceed the number of samples, {samples}")
    if most > samples // workers:
        rule = f"must not exceed {samples // workers}, which each of {workers} workers can have of {samples} samples"
        raise OtaflError("federation.samples_per_worker", most, rule)
    if way == "shards" and samples % (count := workers * federation.shards):
        rule = f"{count} shards of {workers} workers must divide the {samples} samples"
        raise OtaflError("federation.shards", federation.shards, rule)
    if way == "imbalanced" and (workers % 2 or (workers // 2) ** 2 > samples):
        rule = f"must be even and leave one of {samples} samples to each of {(workers // 2) ** 2} shards"
        raise OtaflError("federation.workers", workers, f"{rule} with federation.partition = 'imbalanced'")


def cut(shares: Shares, samples: int) -> Shares:
    """Return the indices of the first samples of each worker, the same number for all.

    >>> cut([np.arange(3), np.arange(5, 9)], 2)
    [array([0, 1]), array([5, 6])]
    """
    if samples > (fewest := min(map(len, shares))):
        rule = f"must not exceed {fewest}, the smallest number of samples of a worker"
        raise OtaflError("federation.samples_per_worker", samples, rule)
    return [share[:samples] for share in shares]


def _iid(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return a uniformly random equal split, the numbers of samples differing by one at most."""
    return np.array_split(rng.permutation(len(labels)), federation.workers)


def _sorted(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return all samples by label, those of one label in random order."""
    order = rng.permutation(len(labels))
    return order[np.argsort(labels[order], kind="stable")]


def _shards(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return shards of samples sorted by label, of which every worker gets equally many at random (McMahan et al.)."""
    shards = _sorted(labels, rng).reshape(federation.workers * federation.shards, -1)
    return list(shards[rng.permutation(len(shards))].reshape(federation.workers, -1))


def _labels(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return samples of at most ``labels_per_worker`` labels for each worker (Song et al., IV-A)."""
    most, workers = federation.labels_per_worker, federation.workers
    names, sizes = np.unique(labels, return_counts=True)
    if most > len(names):
        rule = f"must not exceed the number of labels, {len(names)}"
        raise OtaflError("federation.labels_per_worker", most, rule)
    size = len(labels) // (workers * most)
    while size and (sizes // size).sum() < workers * most:
        size -= 1
    if not size:
        rule = f"the {len(labels)} samples are too few for {workers} workers"
        raise OtaflError("federation.labels_per_worker", most, rule)
    shards = [
        row
        for name, count in zip(names, sizes // size, strict=True)
        for row in rng.permutation(np.flatnonzero(labels == name))[: count * size].reshape(count, size)
    ]
    chosen = [shards[place] for place in rng.permutation(len(shards))[: workers * most]]
    return [np.concatenate(chosen[n * most : (n + 1) * most]) for n in range(workers)]


def _two_classes(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return equal numbers of samples, of which 80% are of two classes and 20% of any, as far as they last."""
    workers = federation.workers
    names = np.unique(labels)
    size = len(labels) // workers
    pools = {name: list(rng.permutation(np.flatnonzero(labels == name))) for name in names}
    turns = np.concatenate([rng.permutation(names) for _ in range(-(-workers * MAIN_CLASSES // len(names)))])
    shares: list[list[int]] = []
    for n in range(workers):
        main = turns[n * MAIN_CLASSES : (n + 1) * MAIN_CLASSES]
        wanted = int(MAIN_SHARE * size / MAIN_CLASSES)
        shares.append([pools[name].pop() for name in main for _ in range(min(wanted, len(pools[name])))])
    rest = rng.permutation([index for pool in pools.values() for index in pool])
    ends = np.cumsum([size - len(share) for share in shares])
    filled = np.split(rest[: ends[-1]], ends[:-1])
    return [np.array([*share, *more], int) for share, more in zip(shares, filled, strict=True)]


def _dirichlet(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return equally many samples, shares of classes drawn from a symmetric Dirichlet distribution (Acar et al.)."""
    names = np.unique(labels)
    size = len(labels) // federation.workers
    pools = {name: list(rng.permutation(np.flatnonzero(labels == name))) for name in names}
    shares = []
    for _ in range(federation.workers):
        law = rng.dirichlet(np.full(len(names), federation.concentration))
        taken: list[int] = []
        while len(taken) < size:
            left = np.array([len(pools[name]) for name in names])
            odds = np.where(left > 0, np.maximum(law, 1e-9), 0)
            wanted = rng.multinomial(size - len(taken), odds / odds.sum())
            for name, count in zip(names, np.minimum(wanted, left), strict=True):
                taken += [pools[name].pop() for _ in range(count)]
        shares.append(np.array(taken))
    return [shares[n] for n in rng.permutation(federation.workers)]


def _imbalanced(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return shards sorted by label, k of them for both workers of the k-th pair (Gong et al., VI)."""
    groups = federation.workers // 2
    shards = groups**2
    size = len(labels) // shards
    ordered = _sorted(labels, rng)
    pieces = [ordered[k * size : (k + 1) * size] for k in rng.permutation(shards)]
    counts = np.repeat(np.arange(1, groups), 2)
    edges = [0, *np.cumsum(counts), shards]
    dealt = [np.concatenate(pieces[start:stop]) for start, stop in itertools.pairwise(edges[:-1])]
    left = np.concatenate([*pieces[edges[-2] :], ordered[shards * size :]])
    return [*dealt, *np.array_split(left, 2)]


def _power_law(labels: np.ndarray, federation: "Federation", rng: np.random.Generator) -> Shares:
    """Return random samples, whose numbers follow a power law (T. Li et al., FedProx, which leaves the law open)."""
    drawn = (1 - rng.random(federation.workers)) ** (-1 / federation.size_exponent)
    ends = np.floor((len(labels) - federation.workers) * np.cumsum(drawn / drawn.sum()) + 0.5).astype(int)
    ends += np.arange(1, federation.workers + 1)
    return np.split(rng.permutation(len(labels)), ends[:-1])


class Partition(NamedTuple):
    """Way of dealing samples to workers, and the dotted scenario keys that it reads."""

    deal: Callable[[np.ndarray, "Federation", np.random.Generator], Shares]
    keys: tuple[str, ...] = ()
    by_label: bool = True
    """True where it needs class labels."""
    sizes_drawn: bool = False
    """True where numbers of samples are drawn, so that they depend on the seed."""


PARTITIONS = {
    "iid": Partition(_iid, by_label=False),
    "shards": Partition(_shards, ("federation.shards",)),
    "labels": Partition(_labels, ("federation.labels_per_worker",)),
    "two_classes": Partition(_two_classes),
    "dirichlet": Partition(_dirichlet, ("federation.concentration",)),
    "imbalanced": Partition(_imbalanced),
    "power_law": Partition(_power_law, ("federation.size_exponent",), by_label=False, sizes_drawn=True),
}
"""Partitions by name, without NATURAL."""
OF_DRAWN_SIZES = tuple(name for name, partition in PARTITIONS.items() if partition.sizes_drawn)
"""Partitions whose numbers of samples depend on the seed."""
NATURAL = "natural"
"""Name of the partition that comes with the data."""
