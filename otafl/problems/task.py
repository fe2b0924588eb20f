"""Tasks: the data of a group of runs, dealt to workers, from which the problems of a program are made."""

from collections.abc import Callable
from typing import Any

import numpy as np

from otafl.algorithms import Method
from otafl.losses import convex_loss
from otafl.numerics.tensors import Tensor
from otafl.settings.keys import Settings
from otafl.system.memory import Demand

PROGRAMS = 115 * 2**20
"""Bytes that compiling takes, and the compiled programs."""


class Task:
    """Data of the runs of a group, dealt to workers, on the host; base of the tasks of each kind of problem.

    It holds numbers of samples, elements and weights, and makes the tensors from which a program's local problems are
    made.

    Fields: d ``elements`` of a model; ``counts`` of samples and ``weights`` ω of workers in the objective, [workers]
    each; ``places`` for samples of a worker and ``width``, the number of features of a sample; ``kind``, which makes a
    round's local problems; ``dtype`` of their arrays; ``whole``, True where a round is one program; ``learner``, a
    ``Learner`` where networks are trained, else None; mean ``local_epochs`` of a worker in a round; the memory
    ``demands``.
    """

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
        """Return numbers of local steps of a round's participants; exact minimisers make none. Shape [participants].

        Arguments:
            workers: numbers of the participants, from 0. Shape [participants].
            epochs: passes of each participant over its samples; unused by exact minimisers. Shape [participants].
        """
        return np.zeros(len(workers))

    def shared(self, seed_index: np.ndarray) -> Any:
        """Return data that all workers have in common, in tensors, for runs that are computed side by side.

        A run is an entry of the last axis of a program's arrays.

        Arguments:
            seed_index: index of each run's seed among the seeds of the task, from 0. Shape [runs], int.

        Returns:
            A ``LinearRegression`` or ``convex.Shared`` for exact minimisers, else ``trained.Shared``; named tuples of
            tensors.
        """
        raise NotImplementedError

    def starts(self, seed: int) -> np.ndarray:
        """Return random initial models of d elements for every worker, and as many duals. Shape [2, workers, d].

        Arguments:
            seed: seed of the run.
        """
        raise NotImplementedError

    def own(self, workers: np.ndarray) -> Any:
        """Return ``trained.Own``, data that belong to some workers, in tensors; None for exact minimisers.

        Arguments:
            workers: numbers of the workers, from 0. Shape [workers].
        """
        return None


def data_demand(settings: Settings, samples: int) -> Demand:
    """Return the memory [B] of samples and of the programs that learn from them, and the key that would reduce it.

    Arguments:
        settings: settings of the runs, with the name of the data set.
        samples: size of the samples [B].
    """
    name = settings.problem.dataset
    text = f"problem.dataset = {name!r} takes {{size}} of memory with the programs that learn from it"
    return Demand("problem.dataset", name, samples + PROGRAMS, text)


def task(settings: Settings, method: Method, run_seeds: list[int]) -> Task:
    """Return the data of the runs of a group, dealt to workers, for a method and a kind of problem.

    Arguments:
        settings: ``Settings`` that the runs share.
        method: the runs' ``Method``, which solves local problems exactly or trains.
        run_seeds: seed of each run; training has one.

    Raises:
        OtaflError: the data or the model cannot be had, or cannot be dealt to so many workers.
    """
    if method.solves_exactly and (convex := convex_loss(settings.problem)):
        from otafl.problems.exact_convex import ExactConvex

        return ExactConvex(settings, convex, run_seeds)
    if method.solves_exactly:
        from otafl.problems.exact_regression import Exact

        return Exact(settings, run_seeds)
    from otafl.problems.training_task import Training

    return Training(settings, method, run_seeds)
