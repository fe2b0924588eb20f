"""Data sets by kind of problem and name, with their loaders and the scenario keys that they read."""

import contextlib
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from otafl.data import characters, femnist, images, regression, synthetic, user_data
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.settings.problem import Problem

SIZE = ("problem.dimension", "problem.samples", "problem.seed")


@dataclass(frozen=True)
class Source:
    """Data set of a kind of problem: its loader, and what it depends on."""

    loader: Callable[..., Samples]
    """Function that loads it; ``seeded``, it gets the table ``problem``, the number of workers if ``owned``, a seed."""
    keys: tuple[str, ...] = ()
    """Dotted scenario keys that it reads."""
    seeded: bool = False
    """True where it is drawn, under the run's seed unless ``problem.seed`` is given."""
    owned: bool | None = False
    """True where samples belong to workers from the start, so that the number of workers enters; None: they may."""
    solvable: bool = True
    """True where workers can find the exact minimiser of their losses."""
    samples: int = 0
    """Number of training samples; 0 where ``problem.samples`` gives it, or files alone tell."""
    fewest: int = 1
    """Smallest number of training samples that can be drawn."""
    features: int = 0
    """Number of features of a sample; 0 where ``problem.dimension`` gives it, or for images."""
    symbols: bool = False
    """True where features are numbers of symbols, which may not be scaled."""
    drawn: Callable[[Problem, int], float] = lambda problem, workers: 0
    """Count of random numbers that are drawn for a problem and a number of workers, which tells the memory."""

    def count(self, problem: Problem) -> int:
        """Return the number of training samples as far as keys tell it; 0 where files alone do."""
        return problem.samples if "problem.samples" in self.keys else self.samples


def _size(problem: Problem, workers: int) -> float:
    """Return the count of numbers drawn for features and targets, and for the covariance of features."""
    return problem.samples * (problem.dimension + 1) + problem.dimension**2


DATASETS: dict[str, dict[str, Source]] = {
    "linear_regression": {
        "california_housing": Source(regression.california, samples=20_000, features=6),
        "diabetes": Source(regression.diabetes, samples=442, features=10),
        "breast_cancer": Source(regression.breast_cancer, samples=569, features=30),
        "synthetic": Source(regression.synthetic, keys=(*SIZE, "problem.condition_number"), seeded=True, drawn=_size),
        "mixture": Source(regression.mixture, keys=SIZE, seeded=True, solvable=False, fewest=3, drawn=_size),
    },
    "classification": {
        **{name: Source(functools.partial(images.load, name)) for name in images.FILES},
        "femnist": Source(femnist.load, owned=None),
        "digits": Source(images.digits, samples=1438),
        "characters": Source(
            characters.load,
            keys=("problem.samples", "problem.seed"),
            seeded=True,
            symbols=True,
            solvable=False,
            features=characters.WINDOW,
            drawn=lambda problem, _: 2 * problem.samples * characters.WINDOW,
        ),
        "synthetic": Source(
            synthetic.load,
            keys=("problem.model_heterogeneity", "problem.data_heterogeneity", "problem.seed"),
            seeded=True,
            owned=True,
            solvable=False,
            drawn=lambda _, workers: workers * synthetic.SMALLEST * synthetic.FEATURES,
        ),
    },
}
"""Data sets by family of problems and name; convex problems have those of linear regression."""


def source(problem: Problem) -> Source:
    """Return the data set that a scenario names: its loader, and what it depends on."""
    known = DATASETS[problem.family]
    if user_data.is_own(problem.dataset):
        loader = functools.partial(user_data.load, problem.kind, problem.dataset, problem.target)
        return Source(loader, keys=user_data.keys(problem.dataset), owned=None)
    if problem.dataset not in known:
        if Path(problem.dataset).suffix:  # a file of another kind
            raise OtaflError("problem.dataset", problem.dataset, user_data.remedy(problem.kind, problem.dataset))
        others = "a path to a .csv, .parquet or .npz file, or package.module:function"
        rule = f"must be one of {', '.join(known)} where problem.kind = {problem.kind!r}, {others}"
        raise OtaflError("problem.dataset", problem.dataset, rule)
    return known[problem.dataset]


@functools.lru_cache(maxsize=2)
def _generated(problem: Problem, workers: int, seed: int) -> Samples:
    dataset = source(problem)
    return dataset.loader(problem, *((workers,) if dataset.owned else ()), seed)


_given: dict[tuple[str, str, str | None], list[Samples]] = defaultdict(list)
"""Samples by kind of problem, data set and target, an entry for each context that gives them."""


@contextlib.contextmanager
def given(samples: Samples, kind: str, dataset: str, target: str | None = None) -> Iterator[None]:
    """Context in which the samples of a data set are those that are given, and no file is read for it."""
    held = _given[kind, dataset, target]
    held.append(samples)
    try:
        yield
    finally:
        held.pop()


def load(problem: Problem, workers: int, seed: int) -> Samples:
    """Return the samples of a run; generated ones are kept for the next run."""
    dataset = source(problem)
    if not dataset.seeded:
        held = _given.get((problem.kind, problem.dataset, problem.target))
        return held[0] if held else dataset.loader()
    return _generated(problem, workers if dataset.owned else 0, seed if problem.seed is None else problem.seed)
