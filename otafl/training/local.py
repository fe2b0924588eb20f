"""Records of local training: samples, penalties and amount of work of n workers, on the first axis."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import tensorflow as tf

from otafl.algorithms.protocol import Accuracy
from otafl.arrays import Tensor

if TYPE_CHECKING:
    from otafl.training.networks import Network

Loss = Callable[[Tensor, Tensor], Tensor]
"""Function from outputs of a network, [..., outputs], and targets, [...], to the loss of each sample, [...]."""


class Samples(NamedTuple):
    """Samples of n workers.

    Arguments:
        features: of all samples, before ``Learner.scale``, uint8 or float32. Shape [1, samples, ...].
        index: place in ``features`` of each sample of a worker. Shape [n, places].
        targets: Shape [n, places] or [n, places, ...].
        count: number of places that hold a sample. Shape [n].
        order: order in which training reads them, from ``batches.order``; None: there is none.
    """

    features: Tensor
    index: Tensor
    targets: Tensor
    count: Tensor
    order: Tensor | None


class Penalty(NamedTuple):
    """Terms added to the local losses, ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)².

    Arguments:
        dual: μ. Shape [n, d].
        weight: w. Shape [n or 1, d or 1].
        anchor: Θ. Shape [n or 1, d].
    """

    dual: Tensor
    weight: Tensor
    anchor: Tensor


class Work(NamedTuple):
    """Amount of training of n workers in a round, in epochs.

    Arguments:
        epochs: most passes over a worker's samples. Shape [n].
        accuracy: ends training before, at the first epoch with ‖e(θ)‖ ≤ σ‖e(θ')‖; None: nothing does. There e is the
            gradient of all that a worker minimises, θ' the reference [n or 1, d] and σ the share [n or 1].
    """

    epochs: Tensor
    accuracy: Accuracy | None = None


def pulled(network: "Network", penalty: Penalty | None) -> Callable[[list, list], list]:
    """Return a function that adds a penalty's gradient to gradients, lists of arrays [n, *shape].

    Arguments:
        network: the model.
        penalty: None: the function returns gradients as they are.
    """
    if penalty is None:
        return lambda grads, weights: grads
    linear = network.unflatten(penalty.dual - penalty.weight * penalty.anchor)
    if penalty.weight.shape[-1] == 1:
        weight = [tf.reshape(penalty.weight, [-1, *[1] * len(shape)]) for shape in network.shapes]
    else:
        weight = network.unflatten(penalty.weight)
    return lambda grads, weights: [g + a + b * w for g, a, b, w in zip(grads, linear, weight, weights, strict=True)]
