"""Convex problems with exact minimisers, for the runs of a group side by side, each with data of its own."""

import numpy as np
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.data.shares import samples_of, shares
from otafl.federation.partition import Shares
from otafl.losses import ConvexLoss, WorkerData
from otafl.problems.convex import Bind, Shared
from otafl.problems.exact_regression import Exact
from otafl.problems.reference_optimum import optimum
from otafl.problems.task import data_demand
from otafl.settings.keys import Settings


class ExactConvex(Exact):
    """Data of convex problems with exact minimisers, dealt to workers, for runs side by side.

    Arguments:
        settings: ``Settings`` that the runs share.
        convex: their loss of a sample.
        run_seeds: seed of each run.

    Raises:
        OtaflError: the data cannot be had, there are fewer samples than workers, or the loss has no minimum.
    """

    def __init__(self, settings: Settings, convex: ConvexLoss, run_seeds: list[int]) -> None:
        self.kind, self.workers = Bind(convex), settings.federation.workers
        found = samples_of(settings, run_seeds)
        dealt = [(one, shares(settings, seed, one)) for one, seed in zip(found, run_seeds, strict=True)]
        self.counts = np.array([len(share) for share in dealt[0][1]])
        self.elements = found[0].features.shape[1]
        self.weights = np.full(self.workers, 1 / self.workers)
        packed = [_packed(*one) for one in dealt]
        best = [optimum(settings.problem, convex, *one).theta for one in dealt]
        samples = WorkerData(*(np.stack(arrays) for arrays in zip(*packed, strict=True)))
        self.stacked = Shared(samples, np.stack(best, axis=-1)[None])
        self.demands = [data_demand(settings, sum(array.nbytes for array in samples))]
        each = packed[0].x[0].size + 3 * self.elements**2
        self.equations_bytes = each * np.dtype(self.dtype).itemsize

    def shared(self, seed_index: np.ndarray) -> Shared:
        """Return the samples of all workers for runs side by side, and the minimiser of the sum of losses.

        Places are slots for samples of a worker; a model has d elements.
        """
        samples, best = self.stacked
        chosen = WorkerData(*(tf.constant(array[seed_index]) for array in samples))
        return Shared(chosen, tf.constant(best[..., seed_index]))


def _packed(found: Samples, owners: Shares) -> WorkerData:
    """Return features, targets and factors of losses by worker and place, [workers, places, ...] each."""
    counts = np.array([len(owner) for owner in owners])[:, None]
    place = np.arange(counts.max())
    index = np.stack([owner[place % len(owner)] for owner in owners])
    share = np.where(place < counts, 1 / counts, 0.0)
    return WorkerData(found.features[index].astype(np.float64), found.targets[index].astype(np.float64), share)
