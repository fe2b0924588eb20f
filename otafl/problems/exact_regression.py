"""Linear regression with exact minimisers, for the runs of a group side by side, each with data of its own."""

import numpy as np
import tensorflow as tf

from otafl import seeds
from otafl.data.shares import samples_of, shares
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression, LossOfAll
from otafl.problems.task import Task, data_demand
from otafl.settings.keys import Settings


class Exact(Task):
    """Task of linear regressions with exact minimisers, runs side by side.

    Arguments:
        settings: of the runs.
        run_seeds: seeds of the runs.

    Raises:
        OtaflError: the data cannot be had, or there are fewer samples than workers.
    """

    dtype = np.float64

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        self.kind = (LossOfAll if settings.problem.loss_function == "global" else LinearRegression).bind
        self.workers, self.demands = settings.federation.workers, [data_demand(settings, 0)]
        found = samples_of(settings, run_seeds)
        dealt = [(one, shares(settings, seed, one)) for one, seed in zip(found, run_seeds, strict=True)]
        reduction = settings.problem.loss_reduction
        self.stacked = linear_regression.stack([linear_regression.build(*one, reduction) for one in dealt])
        self.counts = np.array([len(share) for share in dealt[0][1]])
        self.elements = self.stacked.linear.shape[1]
        self.weights = np.full(self.workers, 1 / self.workers)
        self.equations_bytes = 3 * self.elements**2 * np.dtype(self.dtype).itemsize

    def shared(self, seed_index: np.ndarray) -> LinearRegression:
        """Return the losses of all workers for some columns, by the places of their seeds.

        Columns are entries of the last axis of a program's arrays, a run each.

        Arguments:
            seed_index: place of each column's seed among the seeds of the task. Shape [columns].

        Returns:
            Quadratic losses: matrices [workers, d, d, columns], vectors [workers, d, columns], minimiser
                [1, d, columns].
        """
        return LinearRegression(*(tf.constant(array[..., seed_index]) for array in self.stacked))

    def starts(self, seed: int) -> np.ndarray:
        """Return models drawn from N(0, 1) for every worker, and as many duals. Shape [2, workers, d].

        Arguments:
            seed: of the run.
        """
        return seeds.generator(seed, "start").standard_normal((2, self.workers, self.elements))
