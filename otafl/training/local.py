"""Samples, penalties and amount of local training, of n workers on the first axis."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from otafl.algorithms.protocol import Accuracy
from otafl.arrays import Tensor
from otafl.training.networks import Network

Loss = Callable[[Tensor, Tensor], Tensor]
"""Losses of samples [...] from a network's outputs [..., outputs] and targets [...]."""


class Samples(NamedTuple):
    """The samples of n workers.

    Arguments:
        features: of all samples, in ``Learner.scale`` units, uint8 or float32. Shape [1, samples, ...].
        index: where in ``features`` a place's sample is. Shape [n, places].
        targets: Shape [n, places] or [n, places, ...].
        count: how many of the places hold a sample. Shape [n].
        order: the order in which training reads them, one of ``batches.order``; None: it does not.
    """

    features: Tensor
    index: Tensor
    targets: Tensor
    count: Tensor
    order: Tensor | None


class Penalty(NamedTuple):
    """What is added to the local loss, ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)².

    Arguments:
        dual: μ. Shape [n, d].
        weight: w. Shape [n or 1, d or 1].
        anchor: Θ. Shape [n or 1, d].
    """

    dual: Tensor
    weight: Tensor
    anchor: Tensor


class Work(NamedTuple):
    """How much workers train in a round, where they train in epochs.

    Arguments:
        epochs: most passes over its samples. Shape [n].
        accuracy: ends it before, at the first epoch with ‖e(θ)‖ ≤ σ‖e(θ')‖, e the gradient of all that a worker
            minimises, θ' the reference [n or 1, d] and σ the share [n or 1]; None: nothing does.
    """

    epochs: Tensor
    accuracy: Accuracy | None = None


def pulled(network: Network, penalty: Penalty | None) -> Callable[[list, list], list]:
    """What adds a penalty's gradient to gradients at some weights."""
    if penalty is None:
        return lambda grads, weights: grads
    linear = network.unflatten(penalty.dual - penalty.weight * penalty.anchor)
    if penalty.weight.shape[-1] == 1:
        weight = [tf.reshape(penalty.weight, [-1, *[1] * len(shape)]) for shape in network.shapes]
    else:
        weight = network.unflatten(penalty.weight)
    return lambda grads, weights: [g + a + b * w for g, a, b, w in zip(grads, linear, weight, weights, strict=True)]
