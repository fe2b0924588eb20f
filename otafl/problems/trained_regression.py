"""Linear regression that is trained on mini-batches, in float32, for methods that are about local training and for more
unknowns than can be factored."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.problems.classification import Classification


class TrainedRegression(Classification):
    """Local losses f_n are means of ½(⟨x, θ⟩ − y)² over a worker's samples.

    ``test_features`` are the training samples of all workers, [1, samples, d]; ``test_labels`` their targets, their
    shares in Σ_n f_n, and the minimum of that sum on the last axis, [1, samples, 3].
    """

    __slots__ = ()

    def loss(self, models: Tensor, losses: Tensor) -> Tensor:
        """|Σ_n f_n(θ) − min Σ_n f_n| at the global model. Shape [1]."""
        targets, shares, minimum = tf.unstack(self.test_labels[0], axis=-1)
        outputs = self.learner.outputs(models[0, :, 0], self.test_features[0])
        return tf.abs(tf.reduce_sum(shares * squared_error(outputs, targets)) - minimum[0])[None]

    def test_accuracy(self, model: Tensor) -> Tensor:
        """There is none: NaN. Shape [1]."""
        return tf.fill([1], np.float32(np.nan))


class Minimum(NamedTuple):
    """What all samples amount to.

    Arguments:
        shares: what each sample's loss is multiplied by in Σ_n f_n. Shape [samples].
        value: the minimum of Σ_n f_n.
    """

    shares: np.ndarray
    value: float


def minimum(features: np.ndarray, targets: np.ndarray, owners: list[np.ndarray]) -> Minimum:
    """The minimum of Σ_n f_n by the normal equations, for workers that own some samples each.

    The equations are solved in the features' precision, the value is then taken in double; the error is quadratic in
    that of the solution.
    """
    shares = np.zeros(len(targets), features.dtype)
    for owner in owners:
        shares[owner] = 1 / len(owner)
    weighted = features * shares[:, None]
    solution = np.linalg.lstsq(features.T @ weighted, weighted.T @ targets, rcond=None)[0]
    residual = targets.astype(np.float64) - (features @ solution).astype(np.float64)
    return Minimum(shares, float(np.sum(shares * residual**2) / 2))


def squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """½(output − target)². Shape [samples]."""
    return 0.5 * tf.square(outputs[..., 0] - targets)
