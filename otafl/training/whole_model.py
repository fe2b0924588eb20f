"""Convex losses as local training sees them: a model of d weights, and losses of that model, features and targets."""

import functools
from dataclasses import dataclass

import tensorflow as tf

from otafl.losses import ConvexLoss
from otafl.numerics.optimizers import Tensors
from otafl.numerics.tensors import Tensor
from otafl.training.networks import Network, named_network


class WholeModel(Network):
    """Linear network without an output of its own, whose loss reads all d weights and the features."""

    def apply(
        self, weights: Tensors, inputs: Tensor, base: Tensor | None = None, seed: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the weights as one vector, [d], and the features as they are, [samples, d]."""
        return tf.reshape(weights[0], [-1]), inputs


@dataclass(frozen=True)
class LossOfModel:
    """Function from outputs of a ``WholeModel`` and targets to the loss of each sample, with ½λ‖θ‖²."""

    convex: ConvexLoss

    def __call__(self, outputs: tuple[Tensor, Tensor], targets: Tensor) -> Tensor:
        return self.convex.regularised(*outputs, targets)


@functools.lru_cache(maxsize=8)
def model_of_features(features: int, call: int) -> WholeModel:
    """Return the network whose weights are a model with an element for each feature, drawn as a linear one."""
    # It is kept by ``ConvexLoss.call``, too, so that programs of changed code are compiled again.
    linear = named_network("linear", (features,), 1)
    return WholeModel(linear.name, linear.build, linear.model, linear.shapes, linear.outputs)
