"""Classification with a network: local losses f_n(θ) are mean cross-entropies over a worker's samples, in float32.

There is no exact minimiser: local problems are trained for some steps on mini-batches. Arrays have a last axis of one
run, which keeps them in the layout of ``otafl.problems.problem``.
"""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.problems.problem import Accuracy, Gradient, Minimiser
from otafl.training.learner import Criterion, Learner, Penalty, Samples, Work

EVALUATED_TOGETHER = 1000
"""Test samples in one pass through the network."""


class Classification(NamedTuple):
    """The local problems of one run. After the learner, what differs between runs of one form.

    Arguments:
        learner: how the network is trained.
        features: of the workers' samples. Shape [workers, places, ...], or with ``index`` of all samples,
            [1, samples, ...].
        labels: Shape [workers, places].
        count: how many of the places hold a sample. Shape [workers].
        test_features: Shape [1, tests, ...].
        test_labels: Shape [1, tests].
        start: initial model. Shape [1, d, 1].
        rate: learning rate. Shape [1].
        key: of the stream of batches. Scalar.
        iteration: number of the round. Scalar.
        index: where in ``features`` a worker's samples are. Shape [workers, places].
        epochs: passes over its samples that each worker makes in a round; None: steps are counted. Shape [workers].
        labelled: which places have a label that may be used; None: all. Shape [workers, places].
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
    index: Tensor | None = None
    epochs: Tensor | None = None
    labelled: Tensor | None = None

    def at(self, iteration: Tensor) -> "Classification":
        """The problem in a round, whose batches are its own."""
        return self._replace(iteration=iteration)

    @property
    def samples(self) -> Samples:
        """The workers' samples with the order in which this round reads them."""
        order = self.learner.order(self.key, self.iteration, self.count, self.labels.shape[1])
        return Samples(self.features, self.labels, self.count, order, self.index)

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

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
    ) -> Minimiser:
        """Train for some epochs or steps, at most until the residual is small enough."""
        penalty = criterion = None
        if weight is not None or dual is not None:
            none: Tensor = tf.zeros([1, 1, 1])
            parts = (none if part is None else part for part in (dual, weight, anchor))
            penalty = Penalty(*(part[..., 0] for part in parts))
        if accuracy is not None:
            criterion = Criterion(accuracy.reference[..., 0], accuracy.share[:, 0, 0])
        work = None if self.epochs is None else Work(self.epochs, criterion)
        return _with_runs(Minimiser, self.learner.train(self.samples, start[..., 0], penalty, self.rate[0], work))

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Logarithms of the probabilities that a model gives to all classes. Shape [workers, places, classes]."""
        return tf.nn.log_softmax(self.learner.all_outputs(self.samples, theta[..., 0]))

    def with_pseudo_labels(self, probabilities: Tensor) -> "Classification":
        """The problem with probabilities of classes in place of labels that may not be used."""
        assert self.labelled is not None
        known = tf.one_hot(self.labels, probabilities.shape[-1])
        return self._replace(labels=tf.where(self.labelled[..., None], known, probabilities))

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


def _with_runs(kind: type, done: tuple[Tensor, ...]) -> Any:
    """Results of the learner, [n, d] and [n], with an axis for the run."""
    return kind(*(result[..., None] for result in done))


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of the softmax of logits with labels, or with probabilities of all classes. Shape [samples]."""
    if labels.dtype.is_floating:
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
