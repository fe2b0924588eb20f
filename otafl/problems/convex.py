"""Convex problems of a registered loss: local losses f_n with exact local minimisers, in float64.

Losses are those of ``otafl.losses``, of the package or of the user. Methods have tensors with runs on the last axis,
[workers, d, runs]; losses and minimisers have a batch of workers and runs, [batch, d].
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy, Gradient, Minimiser
from otafl.losses import ConvexLoss, WorkerData
from otafl.numerics.tensors import Tensor
from otafl.problems import newton


class Shared(NamedTuple):
    """Samples of all workers in some runs, and the minimiser of the sum of their local losses.

    Places are slots for samples of a worker, as many as the largest number of samples.

    Arguments:
        samples: features [runs, workers, places, d], targets and factors of losses [runs, workers, places].
        optimum: θ*, the minimiser of Σ_n f_n. Shape [1, d, runs].
    """

    samples: WorkerData
    optimum: Tensor

    @property
    def start(self) -> Tensor:
        return tf.zeros_like(self.optimum)


@dataclass(frozen=True)
class Bind:
    """Function that returns the local problems of a round for a loss; equal losses share a compiled program.

    Arguments:
        convex: the loss of a sample, with its parameters.
    """

    convex: ConvexLoss

    def __call__(self, learner: None, shared: Shared, own: None, iteration: Tensor, epochs: None) -> Any:
        """Return the local problems of a round, the same in every round."""
        return Convex(self.convex, *shared)


class Convex(NamedTuple):
    """Local losses f_n(θ) of workers n: means of a convex loss over their samples, plus ½λ‖θ‖².

    Axes: workers, d elements of a model, and runs that are computed side by side; float64.

    Arguments:
        convex: the loss of a sample, with its parameters.
        samples: features [runs, workers, places, d], targets and factors of losses [runs, workers, places].
        optimum: θ*, the minimiser of Σ_n f_n. Shape [1, d, runs].
    """

    convex: ConvexLoss
    samples: WorkerData
    optimum: Tensor

    @property
    def start(self) -> Tensor:
        return tf.zeros_like(self.optimum)

    @property
    def data(self) -> WorkerData:
        """Samples as a batch of workers and runs: features [batch, places, d], targets and shares [batch, places]."""
        return WorkerData(*(tf.reshape(part, [-1, *part.shape[2:]]) for part in self.samples))

    def gradient(self, theta: Tensor) -> Gradient:
        """Return gradients ∇f_n(θ_n) of local losses, and the losses, by differentiation."""
        data = self.data
        values, slopes = newton.gradient(lambda models: mean_loss(self.convex, models, data), self._batch(theta))
        return Gradient(self._by_worker(slopes), self._by_worker(values[:, None])[:, 0])

    sampled_gradient = gradient

    def penalise(self, weight: Tensor) -> None:
        """Return None, as nothing is prepared for penalties."""

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
        penalised: None = None,
    ) -> Minimiser:
        """Return argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker n.

        It is the closed form of the loss, or the result of Newton's method to the precision of ``newton``.
        """
        none = tf.zeros_like(self.optimum)
        first, slope, strength, centre = (
            self._batch(none if part is None else part) for part in (start, dual, weight, anchor)
        )
        data = self.data
        closed = self.convex.solve(data, first, slope, strength, centre)

        def objective(models: Tensor) -> Tensor:
            pull = slope * models + 0.5 * strength * tf.square(models - centre)
            return mean_loss(self.convex, models, data) + tf.reduce_sum(pull, axis=-1)

        theta = self._by_worker(newton.minimise(objective, first).theta if closed is None else closed)
        return Minimiser(theta, tf.zeros_like(theta[:, 0]), tf.zeros_like(theta[:, 0]))

    def loss(self, models: Tensor, seen: Tensor) -> Tensor:
        """Return |Σ_n [f_n(θ_n) − f_n(θ*)]|, f_n being the local losses of workers n."""
        data = self.data
        here, best = (sample_losses(self.convex, self._batch(one), data) for one in (models, self.optimum))
        gaps = tf.reduce_sum(data.share * (here - best), axis=-1)
        return tf.abs(tf.reduce_sum(self._by_worker(gaps[:, None]), axis=[0, 1]))

    def test_accuracy(self, model: Tensor) -> Tensor:
        return tf.fill(model.shape[2:], tf.constant(np.nan, model.dtype))

    def _batch(self, tensor: Tensor) -> Tensor:
        """Return one vector for each worker of each run, [batch, d], from [workers or 1, d or 1, runs]."""
        runs, workers, _, elements = self.samples.x.shape
        whole = tf.broadcast_to(tf.transpose(tensor, [2, 0, 1]), [runs, workers, elements])
        return tf.reshape(whole, [runs * workers, elements])

    def _by_worker(self, batch: Tensor) -> Tensor:
        """Return vectors of a batch, [batch, numbers], as [workers, numbers, runs]."""
        return tf.transpose(tf.reshape(batch, [*self.samples.x.shape[:2], batch.shape[1]]), [1, 2, 0])


def sample_losses(convex: ConvexLoss, models: Tensor, data: WorkerData) -> Tensor:
    """Return the loss of each sample at the model of its problem, with ½λ‖θ‖². Shape [batch, places].

    Arguments:
        convex: the loss of a sample, with its parameters.
        models: a model of each problem. Shape [batch, d].
        data: samples of each problem.
    """
    return tf.vectorized_map(lambda one: convex.regularised(*one), (models, data.x, data.y))


def mean_loss(convex: ConvexLoss, models: Tensor, data: WorkerData) -> Tensor:
    """Return the local loss of each problem of a batch at its model. Shape [batch].

    Arguments:
        convex: the loss of a sample, with its parameters.
        models: a model of each problem. Shape [batch, d].
        data: samples of each problem.
    """
    losses = tf.ensure_shape(sample_losses(convex, models, data), data.y.shape)
    return tf.reduce_sum(data.share * losses, axis=-1)
