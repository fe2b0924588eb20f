"""Optimisers of Keras as pure functions on lists of weights; a worker begins every round with fresh slots."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from otafl.numerics.tensors import Tensor, tf

Tensors = list[Tensor]
"""Weights, gradients or slots, an array for each of the model's weights."""
Updated = tuple[Tensors, Tensors]
"""Weights and slots after a step."""


class Optimizer(Protocol):
    """Optimiser of local training, which keeps slots beside the weights θ: tensors of the weights' shapes."""

    def slots(self, weights: Tensors) -> Tensors:
        """Return the state before the first step."""
        ...

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return weights and slots, [workers, ...], after a step, counted from 1, of all or of each worker."""
        ...


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent, θ ← θ − ηg."""

    def slots(self, weights: Tensors) -> Tensors:
        return []

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        return [weight - rate * grad for weight, grad in zip(weights, grads, strict=True)], slots


@dataclass(frozen=True)
class Momentum:
    """SGD with momentum, v ← mv − ηg and θ ← θ + v, of velocities v and a momentum m, 0 to 1."""

    momentum: float = 0.9

    def slots(self, weights: Tensors) -> Tensors:
        return [tf.zeros_like(weight) for weight in weights]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        slots = [self.momentum * slot - rate * grad for slot, grad in zip(slots, grads, strict=True)]
        return [weight + slot for weight, slot in zip(weights, slots, strict=True)], slots


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015) with the bias correction in the step size, θ ← θ − η_t m/(√v + ε).

    Slots are the means m of gradients, and after them the means v of their squares, with decays β in a step.
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7

    def slots(self, weights: Tensors) -> Tensors:
        return [tf.zeros_like(weight) for weight in (*weights, *weights)]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        steps = tf.cast(step, rate.dtype)
        rate = rate * tf.sqrt(1 - self.beta_2**steps) / (1 - self.beta_1**steps)
        means = [m + (1 - self.beta_1) * (g - m) for m, g in zip(slots[: len(grads)], grads, strict=True)]
        squares = [v + (1 - self.beta_2) * (g * g - v) for v, g in zip(slots[len(grads) :], grads, strict=True)]
        updates = zip(weights, means, squares, strict=True)
        return [w - _along(rate, w) * m / (tf.sqrt(v) + self.epsilon) for w, m, v in updates], means + squares


def _along(rate: Tensor, weight: Tensor) -> Tensor:
    """Return a rate, or the rates of workers along the weights' first axis."""
    return rate if len(rate.shape) == 0 else tf.reshape(rate, [-1, *[1] * (len(weight.shape) - 1)])


OPTIMIZERS: dict[str, Callable[[float], Optimizer]] = {
    "adam": lambda momentum: Adam(),
    "sgd": lambda momentum: SGD(),
    "momentum": Momentum,
}
"""Optimisers by name, each made with ``local.momentum``."""
