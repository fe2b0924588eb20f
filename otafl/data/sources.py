"""The data sets by kind of problem and name: where each comes from, and which scenario keys it reads."""

import contextlib
import functools
import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from otafl.data import synthetic, user_data
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.settings.keys import Problem

SIZE = ("problem.dimension", "problem.samples", "problem.seed")


@dataclass(frozen=True)
class Source:
    """A data set.

    Arguments:
        loader: module of this folder and function in it. Where samples are ``seeded`` it gets the table of keys, the
            number of workers where they are ``owned``, and a seed.
        arguments: what it gets otherwise.
        keys: scenario keys that it reads.
        seeded: whether it depends on the run's seed, where ``problem.seed`` is not given.
        owned: whether samples belong to workers from the start, so that their number enters; None: they may.
        exact: whether workers can solve it exactly.
        features: how many it has, where problem.dimension does not say so.
        drawn: how many numbers are drawn for it, of a problem and so many workers.
    """

    loader: str
    arguments: tuple[Any, ...] = ()
    keys: tuple[str, ...] = ()
    seeded: bool = False
    owned: bool | None = False
    exact: bool = True
    features: int = 0
    drawn: Callable[[Problem, int], float] = lambda problem, workers: 0

    def load(self, problem: Problem, workers: int, seed: int) -> Samples:
        """The samples under a run's seed.

        Raises:
            OtaflError: data that cannot be had.
        """
        module, name = self.loader.split(":")
        function = getattr(importlib.import_module(f"otafl.data.{module}"), name)
        if not self.seeded:
            return function(*self.arguments)
        return function(problem, *((workers,) if self.owned else ()), seed)


def _size(problem: Problem, workers: int) -> float:
    """Features and targets, and what ties features together."""
    return problem.samples * (problem.dimension + 1) + problem.dimension**2


DATASETS: dict[str, dict[str, Source]] = {
    "linear_regression": {
        "california_housing": Source("regression:california", features=6),
        "diabetes": Source("regression:diabetes", features=10),
        "synthetic": Source("regression:synthetic", keys=(*SIZE, "problem.condition_number"), seeded=True, drawn=_size),
        "mixture": Source("regression:mixture", keys=SIZE, seeded=True, exact=False, drawn=_size),
    },
    "classification": {
        "mnist": Source("images:load", ("mnist",)),
        "fashion_mnist": Source("images:load", ("fashion_mnist",)),
        "cifar10": Source("images:load", ("cifar10",)),
        "digits": Source("images:digits"),
        "synthetic": Source(
            "synthetic:load",
            keys=("problem.model_heterogeneity", "problem.data_heterogeneity", "problem.seed"),
            seeded=True,
            owned=True,
            exact=False,
            drawn=lambda _, workers: workers * synthetic.SMALLEST * synthetic.FEATURES,
        ),
    },
}
"""By kind of problem."""


def source(problem: Problem) -> Source:
    """The source of a scenario's data.

    Raises:
        OtaflError: no such data set for that kind of problem.
    """
    known = DATASETS[problem.kind]
    if user_data.is_own(problem.dataset):
        return Source("user_data:load", (problem.kind, problem.dataset), owned=None)
    if problem.dataset not in known:
        others = "a path to a .npz file, or package.module:function"
        rule = f"must be one of {', '.join(known)} where problem.kind = {problem.kind!r}, {others}"
        raise OtaflError("problem.dataset", problem.dataset, rule)
    return known[problem.dataset]


@functools.lru_cache(maxsize=2)
def _generated(problem: Problem, workers: int, seed: int) -> Samples:
    return source(problem).load(problem, workers, seed)


_given: dict[tuple[str, str], list[Samples]] = defaultdict(list)
"""Samples by data set, once for each context that gives them."""


@contextlib.contextmanager
def given(kind: str, dataset: str, samples: Samples) -> Iterator[None]:
    """A context in which a data set that is not generated is one that is at hand, and read from no file."""
    held = _given[kind, dataset]
    held.append(samples)
    try:
        yield
    finally:
        held.pop()


def load(problem: Problem, workers: int, seed: int) -> Samples:
    """The samples that a run learns from; those that are generated are kept for the next run.

    Raises:
        OtaflError: data that cannot be had.
    """
    made = source(problem)
    if not made.seeded:
        held = _given.get((problem.kind, problem.dataset))
        return held[0] if held else made.load(problem, workers, seed)
    return _generated(problem, workers if made.owned else 0, seed if problem.seed is None else problem.seed)


def fingerprint(problem: Problem) -> str:
    """A digest of the samples of a data set; empty for those that are generated from a seed.

    Raises:
        OtaflError: data that cannot be had.
    """
    return "" if source(problem).seeded else load(problem, 0, 0).digest
