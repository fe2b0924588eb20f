"""Classification with a network: local losses are mean cross-entropies. There is no exact minimiser."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.problems.trained import Trained


class Tests(NamedTuple):
    """What the model is tested on.

    Arguments:
        features: Shape [tests, ...].
        labels: Shape [tests].
    """

    features: Tensor
    labels: Tensor


class Classification(Trained):
    """Local losses f_n are mean cross-entropies of softmax outputs over a worker's samples."""

    __slots__ = ()

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Logarithms of the probabilities that a model gives to all classes. Shape [workers, places, classes]."""
        return tf.nn.log_softmax(self.learner.all_outputs(self.unordered, theta[..., 0]))

    def with_pseudo_labels(self, probabilities: Tensor) -> "Classification":
        """The problem with probabilities of classes in place of labels that may not be used."""
        known = tf.one_hot(self.own.targets, probabilities.shape[-1])
        targets = tf.where(self.own.labelled[..., None], known, probabilities)  # pyright: ignore[reportOptionalSubscript]
        return self._replace(own=self.own._replace(targets=targets))

    def loss(self, models: Tensor, losses: Tensor) -> Tensor:
        """The mean over workers of the losses that training saw. Shape [1]."""
        return tf.reduce_mean(losses, axis=0)

    def test_accuracy(self, model: Tensor) -> Tensor:
        """Share of test samples that a model [1, d, 1] classifies correctly, NaN for a model that is not finite.

        Shape [1].
        """
        features, labels = self.shared.evaluation
        right = self.learner.number_right(model[0, :, 0], features, labels)
        finite = tf.reduce_all(tf.math.is_finite(model), axis=[0, 1])
        return tf.where(finite, tf.cast(right, tf.float32) / labels.shape[0], np.nan)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of the softmax of logits with labels, or with probabilities of all classes. Shape [samples]."""
    if labels.dtype.is_floating:
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
