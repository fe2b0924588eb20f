"""The task of a group of runs: its data dealt to workers, from which the problems of a program are made."""

from collections.abc import Callable
from typing import Any

import numpy as np

from otafl.algorithms import Method
from otafl.arrays import Tensor
from otafl.memory import Demand
from otafl.settings.keys import Settings

PROGRAMS = 115 * 2**20
"""Bytes that compiling takes, and what is compiled."""


class Task:
    """The data of a group's runs, dealt to workers, on the host."""

    whole: bool = True
    """True where everything is compiled as one program."""
    dtype: Any
    """Precision of that program."""
    elements: int
    """Elements d of a model."""
    kind: Callable[[Any, Any, Any, Tensor, Tensor | None], Any]
    """Function that returns the local problems of a round, from ``learner``, ``shared``, ``own``, the number of the
    round, and the passes of each worker over its samples."""
    remark: str = ""
    """Remark on what a user may not expect; empty where there is none."""
    places: int = 0
    """Places for samples that a worker has."""
    width: int = 0
    """Numbers in the features of a sample that is trained on."""
    equations_bytes: int = 0
    """Bytes of the equations that a worker of a run has in a program."""
    demands: list[Demand]
    """Memory for samples, for the order in which they are read, and for the programs that learn from them."""
    counts: np.ndarray
    """Samples of each worker. Shape [workers]."""
    weights: np.ndarray
    """ω, the workers' weights in the objective, which add up to 1. Shape [workers]."""
    local_epochs: float = np.nan
    """Passes over its samples that a worker makes in a round, on average; NaN where rounds or workers differ."""
    learner: Any = None
    """Learner that trains networks; None: workers have exact minimisers."""

    def steps(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        """Local steps of a round's participants that make so many passes; exact minimisers make none. Shape of both."""
        return np.zeros(len(workers))

    def shared(self, seed_index: np.ndarray) -> Any:
        """Data that all workers have in common, for the runs of some columns, in tensors."""
        raise NotImplementedError

    def starts(self, seed: int) -> np.ndarray:
        """Models for every worker to begin with, and as many for duals, under a seed. Shape [2, workers, d]."""
        raise NotImplementedError

    def own(self, workers: np.ndarray) -> Any:
        """Data that belong to some workers, in tensors; None where all workers are computed at once."""
        return None


def data_demand(settings: Settings, samples: int) -> Demand:
    """Memory for samples of so many bytes, and for programs."""
    name = settings.problem.dataset
    text = f"problem.dataset = {name!r} takes {{size}} of memory with the programs that learn from it"
    return Demand("problem.dataset", name, samples + PROGRAMS, text)


def task(settings: Settings, method: Method, run_seeds: list[int]) -> Task:
    """The task of a method on a scenario's kind of problem.

    Raises:
        OtaflError: the data or the model cannot be had, or cannot be dealt to so many workers.
    """
    from otafl.problems.exact_regression import Exact
    from otafl.problems.training_task import Training

    return Exact(settings, run_seeds) if method.exact else Training(settings, method, run_seeds)
