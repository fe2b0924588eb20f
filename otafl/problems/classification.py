"""Classification with a network, whose local losses are mean cross-entropies; there is no exact minimiser."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.numerics.tensors import GlobalModel, Losses, ModelsOrOne, PerRun, Tensor
from otafl.problems.trained import Trained
from otafl.training.local import Samples


class Tests(NamedTuple):
    """Features of test samples before they are scaled, [tests, ...], and their classes from 0, [tests]."""

    features: Tensor
    labels: Tensor


class Classification(Trained):
    """Local losses f_n that are mean cross-entropies of softmax outputs over the samples of a worker n, in nats."""

    __slots__ = ()

    def log_probabilities(self, theta: ModelsOrOne) -> Tensor:
        return tf.nn.log_softmax(self.learner.all_outputs(self.unordered, theta[..., 0]))

    def with_pseudo_labels(self, probabilities: Tensor) -> "Classification":
        known = tf.one_hot(self.own.targets, probabilities.shape[-1])
        targets = tf.where(self.own.labelled[..., None], known, probabilities)
        return self._replace(own=self.own._replace(targets=targets))

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        return trained

    def test_accuracy(self, model: GlobalModel) -> PerRun:
        """Return the share of test samples that a model classifies correctly; NaN for a model that is not finite."""
        features, labels = self.shared.evaluation
        places = tf.range(labels.shape[0])
        tests = Samples(features[None], places[None], labels[None], tf.size(labels)[None], None, self.shared.base)
        return _of_finite(model, self.learner.number_right(tests, model[..., 0]) / labels.shape[0])

    def accuracies(self, model: GlobalModel) -> Losses:
        """Return the share of each worker's samples that a model classifies correctly; NaN where it is not finite."""
        samples = self.unordered
        shares = self.learner.number_right(samples, model[..., 0]) / tf.cast(samples.count, tf.float32)
        return _of_finite(model, shares[:, None])


def _of_finite(model: GlobalModel, shares: Tensor) -> Tensor:
    return tf.where(tf.reduce_all(tf.math.is_finite(model), axis=[0, 1]), shares, np.nan)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Return softmax cross-entropies [nats], [samples], for labels [samples] or probabilities [samples, classes]."""
    if labels.dtype.is_floating:
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
