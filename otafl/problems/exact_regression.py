"""Convex problems with exact minimisers, for the runs of a group side by side, each with data of its own."""

import numpy as np
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.data.shares import samples_of, shares
from otafl.federation.partition import Shares
from otafl.losses import ConvexLoss, WorkerData
from otafl.numerics import seeds
from otafl.problems import linear_regression
from otafl.problems.convex import Bind, Shared
from otafl.problems.linear_regression import LinearRegression, LossOfAll
from otafl.problems.reference_optimum import reference_optimum
from otafl.problems.task import Task, data_demand, unscaled
from otafl.settings.keys import Settings


class Exact(Task):
    """Data of linear regressions with exact minimisers, dealt to workers, for runs side by side."""

    dtype = np.float64

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        self.kind = (LossOfAll if settings.problem.loss_function == "global" else LinearRegression).bind
        self.demands = [data_demand(settings, 0)]
        dealt = self._deal(settings, run_seeds)
        reduction = settings.problem.loss_reduction
        built = [linear_regression.build(samples, owners, reduction) for samples, owners in dealt]
        self.stacked = linear_regression.stack(built)
        self.equations_bytes = 3 * self.elements**2 * np.dtype(self.dtype).itemsize

    def _deal(self, settings: Settings, run_seeds: list[int]) -> list[tuple[Samples, Shares]]:
        """Deal the samples of each run to workers; return these, and the indices of each worker's share of them."""
        loaded = samples_of(settings, run_seeds)
        dealt = [(samples, shares(settings, seed, samples)) for samples, seed in zip(loaded, run_seeds, strict=True)]
        self.workers = settings.federation.workers
        self.weights = np.full(self.workers, 1 / self.workers)
        self.counts = np.array([len(share) for share in dealt[0][1]])
        self.remark = unscaled(settings, dealt[0][0])
        self.elements = dealt[0][0].features.shape[1]
        return dealt

    def shared(self, seed_index: np.ndarray) -> LinearRegression:
        return LinearRegression(*(tf.constant(array[..., seed_index]) for array in self.stacked))

    def starts(self, seed: int) -> np.ndarray:
        return seeds.generator(seed, "start").standard_normal((2, self.workers, self.elements))


class ExactConvex(Exact):
    """Data of convex problems with exact minimisers, dealt to workers, for runs side by side."""

    def __init__(self, settings: Settings, convex: ConvexLoss, run_seeds: list[int]) -> None:
        self.kind = Bind(convex)
        dealt = self._deal(settings, run_seeds)
        packed = [_packed(samples, owners) for samples, owners in dealt]
        best = [reference_optimum(settings.problem, convex, samples, owners)[0] for samples, owners in dealt]
        samples = WorkerData(*(np.stack(arrays) for arrays in zip(*packed, strict=True)))
        self.stacked = Shared(samples, np.stack(best, axis=-1)[None])
        self.demands = [data_demand(settings, sum(array.nbytes for array in samples))]
        self.equations_bytes = (packed[0].x[0].size + 3 * self.elements**2) * np.dtype(self.dtype).itemsize

    def shared(self, seed_index: np.ndarray) -> Shared:
        samples, best = self.stacked
        chosen = WorkerData(*(tf.constant(array[seed_index]) for array in samples))
        return Shared(chosen, tf.constant(best[..., seed_index]))


def _packed(data: Samples, owners: Shares) -> WorkerData:
    """Return features, targets and factors of losses by worker and place, [workers, places, ...] each."""
    counts = np.array([len(owner) for owner in owners])[:, None]
    place = np.arange(counts.max())
    index = np.stack([owner[place % len(owner)] for owner in owners])
    share = np.where(place < counts, 1 / counts, 0.0)
    return WorkerData(data.features[index].astype(np.float64), data.targets[index].astype(np.float64), share)
