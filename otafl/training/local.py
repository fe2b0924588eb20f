"""Records of local training: samples, penalties and amount of work of n workers, on the first axis."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy
from otafl.numerics.tensors import Tensor

if TYPE_CHECKING:
    from otafl.training.networks import Network

Loss = Callable[[Tensor, Tensor], Tensor]
"""Function from outputs of a network, [..., outputs], and targets, [...], to the loss of each sample, [...]."""


class Samples(NamedTuple):
    """Training samples of n workers in a program.

    Places are slots for samples of a worker, as many as the largest number of samples; workers with fewer repeat some.

    Arguments:
        features: features of all samples, before ``Learner.scale``, uint8 or float32. Shape [1, samples, ...].
        index: index in ``features`` of each sample of a worker. Shape [n, places], int32.
        targets: labels, probabilities of classes, or numbers. Shape [n, places] or [n, places, classes].
        count: number of samples of each worker. Shape [n], int32.
        order: order in which training reads them, indices among the worker's own from ``batches.order``; None: there is
            none. Shape [n, passes · places], a pass being one over all samples.
        base: frozen weights beneath adapters, common to all workers; None: the whole model is trained. Shape [1,
            weights].
        masks: seed of the round for layers that draw random numbers, such as dropout; None: there are none. Shape [1,
            2], int64.
    """

    features: Tensor
    index: Tensor
    targets: Tensor
    count: Tensor
    order: Tensor | None
    base: Tensor | None = None
    masks: Tensor | None = None

    def seed(self, first: Tensor, step: Tensor) -> Tensor | None:
        """Return the seed of a worker's step for layers that draw random numbers; None without such layers.

        Arguments:
            first: index of the worker's first sample, which no other worker has. Scalar.
            step: number of the step in the round. Scalar.

        Returns:
            Two whole numbers of the whole range. Shape [2], int64.
        """
        if self.masks is None:
            return None
        return folded(folded(self.masks[0], first), step)


def folded(seed: Tensor, number: Tensor) -> Tensor:
    """Return another seed, which depends on a seed and a number. Shape [2], int64.

    Arguments:
        seed: two whole numbers. Shape [2], int64.
        number: whole number. Scalar.
    """
    whole: Any = None  # of the whole range
    at = tf.stack([seed[0], seed[1] + 2**32 * tf.cast(number, tf.int64)])
    return tf.random.stateless_uniform([2], at, whole, whole, tf.int64, alg="philox")


class Penalty(NamedTuple):
    """Terms added to the local losses of n workers, ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)², θ a model of d elements.

    Arguments:
        dual: slopes μ_n of the linear terms. Shape [n or 1, d or 1].
        weight: penalty weights w_n. Shape [n or 1, d or 1].
        anchor: model Θ to which the penalty pulls. Shape [n or 1, d or 1].
    """

    dual: Tensor
    weight: Tensor
    anchor: Tensor


class Work(NamedTuple):
    """Amount of training of n workers in a round, in epochs.

    Arguments:
        epochs: largest number of passes over a worker's samples. Shape [n], int32.
        accuracy: ends training before, at the first epoch with ‖e(θ)‖ ≤ σ‖e(θ')‖; None: nothing does. There e is the
            gradient of all that a worker minimises at its model θ of d elements, θ' the reference [n or 1, d] and σ the
            share [n or 1].
    """

    epochs: Tensor
    accuracy: Accuracy | None = None


def pulled(network: "Network", penalty: Penalty | None) -> Callable[[list, list], list]:
    """Return a function that adds a penalty's gradient to gradients of local losses.

    Arguments:
        network: the model.
        penalty: linear and quadratic terms added to the local losses; None: the function returns gradients as they are.

    Returns:
        Function from gradients and weights, lists of arrays [workers, *shape of the weight], to such a list.
    """
    if penalty is None:
        return lambda grads, weights: grads
    linear = network.unflatten(penalty.dual - penalty.weight * penalty.anchor)
    if penalty.weight.shape[-1] == 1:
        weight = [tf.reshape(penalty.weight, [-1, *[1] * len(shape)]) for shape in network.shapes]
    else:
        weight = network.unflatten(penalty.weight)
    return lambda grads, weights: [g + a + b * w for g, a, b, w in zip(grads, linear, weight, weights, strict=True)]
