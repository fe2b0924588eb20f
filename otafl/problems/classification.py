"""Classification with a network: local losses f_n(θ) are mean cross-entropies over a worker's samples, in float32.

There is no exact minimiser: local problems are trained for some steps on mini-batches. Arrays have a last axis of one
run, which keeps them in the layout of ``otafl.problems.problem``.
"""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.problems.problem import Gradient, Minimiser
from otafl.training.learner import Learner, Penalty, Samples

EVALUATED_TOGETHER = 1000
"""Test samples in one pass through the network."""


class Classification(NamedTuple):
    """The local problems of one run. After the learner, what differs between runs of one form.

    Arguments:
        learner: how the network is trained.
        features: of the workers' samples. Shape [workers, places, ...].
        labels: Shape [workers, places].
        count: how many of the places hold a sample. Shape [workers].
        test_features: Shape [1, tests, ...].
        test_labels: Shape [1, tests].
        start: initial model. Shape [1, d, 1].
        rate: learning rate. Shape [1].
        key: of the stream of batches. Scalar.
        iteration: number of the round. Scalar.
    """

    learner: Learner
    features: Tensor
    labels: Tensor
    count: Tensor
    test_features: Tensor
    test_labels: Tensor
    start: Tensor
    rate: Tensor
    key: Tensor
    iteration: Tensor

    def at(self, iteration: Tensor) -> "Classification":
        """The problem in a round, whose batches are its own."""
        return self._replace(iteration=iteration)

    @property
    def samples(self) -> Samples:
        """The workers' samples with the order in which this round reads them."""
        order = self.learner.order(self.key, self.iteration, self.count, self.labels.shape[1])
        return Samples(self.features, self.labels, self.count, order)

    def gradient(self, theta: Tensor) -> Gradient:
        """∇f_n(θ_n) over all of a worker's samples."""
        return _with_runs(Gradient, self.learner.gradient(self.samples, theta[..., 0]))

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """∇f_n(θ_n) on one mini-batch."""
        return _with_runs(Gradient, self.learner.sampled_gradient(self.samples, theta[..., 0]))

    def penalise(self, weight: Tensor) -> None:
        """Nothing can be prepared."""

    def minimise(self, penalised: None, weight: Tensor, dual: Tensor, anchor: Tensor, start: Tensor) -> Minimiser:
        """Some local steps on f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² from where a worker stands."""
        penalty = Penalty(dual[..., 0], weight[..., 0], anchor[..., 0])
        return _with_runs(Minimiser, self.learner.train(self.samples, start[..., 0], penalty, self.rate[0]))

    def loss(self, models: Tensor, losses: Tensor) -> Tensor:
        """The mean over workers of the losses that training saw. Shape [1]."""
        return tf.reduce_mean(losses, axis=0)

    def test_accuracy(self, model: Tensor) -> Tensor:
        """Share of test samples that a model [1, d, 1] classifies correctly, NaN for a model that is not finite.

        Shape [1].
        """
        tests = self.test_labels.shape[1]
        size = min(EVALUATED_TOGETHER, tests)

        def add(start: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
            index = start + tf.range(size)
            at = tf.minimum(index, tests - 1)
            outputs = self.learner.outputs(model[0, :, 0], tf.gather(self.test_features[0], at))
            agrees = tf.argmax(outputs, axis=-1, output_type=tf.int32) == tf.gather(self.test_labels[0], at)
            return start + size, right + tf.math.count_nonzero(agrees & (index < tests), dtype=tf.int32)

        _, right = tf.while_loop(lambda start, _: start < tests, add, (tf.constant(0), tf.constant(0)))
        finite = tf.reduce_all(tf.math.is_finite(model), axis=[0, 1])
        return tf.where(finite, tf.cast(right, tf.float32) / tests, np.nan)


def _with_runs(kind: type, done: tuple[Tensor, Tensor]) -> Any:
    """Results of the learner, [n, d] and [n], with an axis for the run."""
    return kind(done[0][..., None], done[1][..., None])


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of the softmax of logits. Shape [samples]."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
