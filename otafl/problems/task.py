"""Tasks: the data of a group of runs, dealt to workers, from which the problems of a program are made."""

from collections.abc import Callable
from typing import Any

import numpy as np

from otafl.algorithms import Method
from otafl.arrays import Tensor
from otafl.memory import Demand
from otafl.settings.keys import Settings

PROGRAMS = 115 * 2**20
"""Bytes that compiling takes, and the compiled programs."""


class Task:
    """Base of tasks: the data of a group's runs, dealt to workers, on the host."""

    whole: bool = True
    """True where a round is compiled as one program."""
    dtype: Any
    """NumPy type of the numbers in that program."""
    elements: int
    """Number d of elements of a model."""
    kind: Callable[[Any, Any, Any, Tensor, Tensor | None], Any]
    """Function that returns the local problems of a round, from ``learner``, ``shared``, ``own``, the number of the
    round, and the passes of each worker over its samples."""
    remark: str = ""
    """Remark on a surprising choice of keys; empty where there is none."""
    places: int = 0
    """Places for samples of a worker."""
    width: int = 0
    """Numbers in the features of one sample."""
    equations_bytes: int = 0
    """Bytes of the equations of one worker and run in a program."""
    demands: list[Demand]
    """Memory for samples, for the order in which they are read, and for the programs that learn from them."""
    counts: np.ndarray
    """Samples of each worker. Shape [workers]."""
    weights: np.ndarray
    """ω, the workers' weights in the objective, which add up to 1. Shape [workers]."""
    local_epochs: float = np.nan
    """Mean passes of a worker over its samples in a round; NaN where rounds or workers differ."""
    learner: Any = None
    """Learner that trains networks; None: workers have exact minimisers."""

    def steps(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        """Return local steps of a round's participants; exact minimisers make none. Shape [participants].

        Arguments:
            workers: numbers of the participants, from 0. Shape [participants].
            epochs: passes of each participant over its samples; unused by exact minimisers. Shape [participants].
        """
        return np.zeros(len(workers))

    def shared(self, seed_index: np.ndarray) -> Any:
        """Return data that all workers have in common, in tensors, for the runs of some columns.

        Columns are entries of the last axis of a program's arrays, a run each.

        Arguments:
            seed_index: place of each column's seed among the seeds of the task. Shape [columns].
        """
        raise NotImplementedError

    def starts(self, seed: int) -> np.ndarray:
        """Return initial models of every worker, and as many duals, drawn under a seed. Shape [2, workers, d].

        Arguments:
            seed: of the run.
        """
        raise NotImplementedError

    def own(self, workers: np.ndarray) -> Any:
        """Return data that belong to some workers, in tensors; None where all workers are computed at once.

        Arguments:
            workers: numbers of the workers, from 0. Shape [workers].
        """
        return None


def data_demand(settings: Settings, samples: int) -> Demand:
    """Return the memory that samples of a number of bytes take, with the programs that learn from them.

    Arguments:
        settings: of the runs, with the name of the data set.
        samples: bytes of the samples.
    """
    name = settings.problem.dataset
    text = f"problem.dataset = {name!r} takes {{size}} of memory with the programs that learn from it"
    return Demand("problem.dataset", name, samples + PROGRAMS, text)


def task(settings: Settings, method: Method, run_seeds: list[int]) -> Task:
    """Return the task of a method on a scenario's kind of problem.

    Arguments:
        settings: of the runs.
        method: the method.
        run_seeds: seeds of the runs; training has one.

    Raises:
        OtaflError: the data or the model cannot be had, or cannot be dealt to so many workers.
    """
    if method.solves_exactly:
        from otafl.problems.exact_regression import Exact

        return Exact(settings, run_seeds)
    from otafl.problems.training_task import Training

    return Training(settings, method, run_seeds)
