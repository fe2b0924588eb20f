"""Convex problems of a registered loss: local losses f_n with exact local minimisers, in float64.

Losses are those of ``otafl.losses``, of the package or of the user. Methods have tensors with runs on the last axis,
[workers, d, runs]; losses and minimisers have a batch of workers and runs, [batch, d].
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Gradient, Minimiser
from otafl.losses import ConvexLoss, WorkerData
from otafl.numerics.tensors import FlatModels, GlobalModel, Models, ModelsOrOne, PerRun, Scalar, Tensor
from otafl.problems import newton


class Shared(NamedTuple):
    """Samples of all workers, with axes [runs, workers] in place of a batch, and the minimiser θ* of Σ_n f_n."""

    samples: WorkerData
    optimum: GlobalModel

    @property
    def start(self) -> GlobalModel:
        return tf.zeros_like(self.optimum)


@dataclass(frozen=True)
class Bind:
    """Function that returns the local problems of a round for a loss; equal losses share a compiled program."""

    convex: ConvexLoss

    def __call__(self, learner: None, shared: Shared, own: None, iteration: Scalar, epochs: None) -> "Convex":
        return Convex(self.convex, *shared)


class Convex(NamedTuple):
    """Local losses f_n(θ) of workers n: means of a convex loss over their samples, plus ½λ‖θ‖²."""

    convex: ConvexLoss
    samples: WorkerData
    optimum: GlobalModel

    @property
    def start(self) -> GlobalModel:
        return tf.zeros_like(self.optimum)

    @property
    def data(self) -> WorkerData:
        return WorkerData(*(tf.reshape(part, [-1, *part.shape[2:]]) for part in self.samples))

    def gradient(self, theta: ModelsOrOne) -> Gradient:
        data = self.data
        values, slopes = newton.gradient(lambda models: mean_loss(self.convex, models, data), self._batch(theta))
        return Gradient(self._by_worker(slopes), self._by_worker(values[:, None])[:, 0])

    sampled_gradient = gradient

    def penalise(self, weight: Models) -> None:
        return None

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None, penalised=None) -> Minimiser:
        """Return the closed form of the loss, or the result of Newton's method to the precision of ``newton``."""
        none = tf.zeros_like(self.optimum)
        parts = [none if part is None else part for part in (start, dual, weight, anchor)]
        first, slope, strength, centre = map(self._batch, parts)
        data = self.data
        closed = self.convex.solve(data, first, slope, strength, centre)

        def objective(models: FlatModels) -> Tensor:
            pull = slope * models + 0.5 * strength * tf.square(models - centre)
            return mean_loss(self.convex, models, data) + tf.reduce_sum(pull, axis=-1)

        theta = self._by_worker(newton.minimise(objective, first)[0] if closed is None else closed)
        return Minimiser(theta, tf.zeros_like(theta[:, 0]), tf.zeros_like(theta[:, 0]))

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        """Return |Σ_n [f_n(θ_n) − f_n(θ*)]|."""
        data = self.data
        here, best = (sample_losses(self.convex, self._batch(at), data) for at in (models, self.optimum))
        gaps = tf.reduce_sum(data.share * (here - best), axis=-1)
        return tf.abs(tf.reduce_sum(self._by_worker(gaps[:, None]), axis=[0, 1]))

    def test_accuracy(self, model: GlobalModel) -> PerRun:
        return tf.fill(model.shape[2:], tf.constant(np.nan, model.dtype))

    def _batch(self, tensor: ModelsOrOne) -> FlatModels:
        """Return one vector for each worker of each run, [batch, d], from [workers or 1, d or 1, runs]."""
        runs, workers, _, elements = self.samples.x.shape
        whole = tf.broadcast_to(tf.transpose(tensor, [2, 0, 1]), [runs, workers, elements])
        return tf.reshape(whole, [runs * workers, elements])

    def _by_worker(self, batch: Tensor) -> Tensor:
        """Return vectors of a batch, [batch, numbers], as [workers, numbers, runs]."""
        return tf.transpose(tf.reshape(batch, [*self.samples.x.shape[:2], batch.shape[1]]), [1, 2, 0])


def sample_losses(convex: ConvexLoss, models: FlatModels, data: WorkerData) -> Tensor:
    """Return the loss of each sample at the model of its problem, with ½λ‖θ‖². Shape [batch, places]."""
    losses = tf.autograph.experimental.do_not_convert(lambda problem: convex.regularised(*problem))
    return tf.vectorized_map(losses, (models, data.x, data.y))


def mean_loss(convex: ConvexLoss, models: FlatModels, data: WorkerData) -> Tensor:
    """Return the local loss of each problem of a batch at its model. Shape [batch]."""
    losses = tf.ensure_shape(sample_losses(convex, models, data), data.y.shape)
    return tf.reduce_sum(data.share * losses, axis=-1)
