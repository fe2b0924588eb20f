"""Convex problems with exact minimisers, for the runs of a group side by side, each with data of its own."""

import numpy as np
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.federation.partition import Shares
from otafl.losses import ConvexLoss, WorkerData
from otafl.problems.convex import Bind, Shared
from otafl.problems.exact_regression import Exact
from otafl.problems.reference_optimum import reference_optimum
from otafl.problems.task import data_demand
from otafl.settings.keys import Settings


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
        numbers = packed[0].x[0].size + 3 * self.elements**2
        self.equations_bytes = numbers * np.dtype(self.dtype).itemsize

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
