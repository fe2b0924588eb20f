"""Records of local training: samples, penalties and amount of work of the workers, which are on the first axis."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy
from otafl.numerics.tensors import Counts, FlatModels, Scalar, Slots, Tensor

Loss = Callable[[Tensor, Tensor], Tensor]
"""Function from outputs of a network, [..., outputs], and targets, [...], to the loss of each sample, [...]."""


class Samples(NamedTuple):
    """Training samples of workers in a program. Workers with fewer samples than slots repeat some.

    Arguments:
        features: features of all samples, before ``Learner.scale``, uint8 or float32. Shape [1, samples, ...].
        index: index in ``features`` of each sample of a worker, int32.
        targets: labels or numbers, or probabilities of classes, [workers, slots, classes].
        order: result of ``batches.order``; None: training does not read them.
        base: frozen weights beneath adapters, [1, weights]; None: the whole model is trained.
        masks: seed of the round for layers that draw, such as dropout; None: none do. Shape [1, 2], int64.
    """

    features: Tensor
    index: Slots
    targets: Slots
    count: Counts
    order: Tensor | None
    base: Tensor | None = None
    masks: Tensor | None = None

    def seed(self, first: Scalar, step: Scalar) -> Tensor | None:
        """Return the seed of a step for layers that draw, from the worker's first sample; None without such layers."""
        if self.masks is None:
            return None
        return folded(folded(self.masks[0], first), step)


def folded(seed: Tensor, number: Scalar) -> Tensor:
    """Return another seed, which depends on a seed and a whole number. Shape [2], int64."""
    whole_range: Tensor = None
    at = tf.stack([seed[0], seed[1] + 2**32 * tf.cast(number, tf.int64)])
    return tf.random.stateless_uniform([2], at, whole_range, whole_range, tf.int64, alg="philox")


class Penalty(NamedTuple):
    """Dual μ, weight w and anchor Θ of ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² in local losses. Shape [n or 1, d or 1]."""

    dual: FlatModels
    weight: FlatModels
    anchor: FlatModels


class Work(NamedTuple):
    """Most epochs of workers in a round, int32, and a rule that ends training before, without the axis of runs."""

    epochs: Counts
    accuracy: Accuracy | None = None
