"""Optimisers as pure functions on lists of weights; a worker begins every round with fresh slots.

Their formulas and defaults are those of keras.optimizers.
"""

from dataclasses import dataclass

import tensorflow as tf

from otafl.arrays import Tensor

Tensors = list[Tensor]
Updated = tuple[Tensors, Tensors]
"""Weights and slots after a step."""


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent, θ ← θ − ηg."""

    def slots(self, weights: Tensors) -> Tensors:
        """None."""
        return []

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """One step."""
        return [weight - rate * grad for weight, grad in zip(weights, grads, strict=True)], slots


@dataclass(frozen=True)
class Momentum:
    """SGD with momentum, v ← mv − ηg and θ ← θ + v."""

    momentum: float = 0.9

    def slots(self, weights: Tensors) -> Tensors:
        """The velocities v."""
        return [tf.zeros_like(weight) for weight in weights]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """One step."""
        slots = [self.momentum * slot - rate * grad for slot, grad in zip(slots, grads, strict=True)]
        return [weight + slot for weight, slot in zip(weights, slots, strict=True)], slots


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015) with the bias correction in the step size, θ ← θ − η_t m/(√v + ε)."""

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7

    def slots(self, weights: Tensors) -> Tensors:
        """The moments m, then v."""
        return [tf.zeros_like(weight) for weight in (*weights, *weights)]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """One step."""
        done = tf.cast(step, rate.dtype)
        rate = rate * tf.sqrt(1 - self.beta_2**done) / (1 - self.beta_1**done)
        first = [m + (1 - self.beta_1) * (g - m) for m, g in zip(slots[: len(grads)], grads, strict=True)]
        second = [v + (1 - self.beta_2) * (g * g - v) for v, g in zip(slots[len(grads) :], grads, strict=True)]
        moved = [
            w - _along(rate, w) * m / (tf.sqrt(v) + self.epsilon)
            for w, m, v in zip(weights, first, second, strict=True)
        ]
        return moved, first + second


def _along(rate: Tensor, weight: Tensor) -> Tensor:
    """A rate, or one of each worker along the weights' first axis."""
    return rate if len(rate.shape) == 0 else tf.reshape(rate, [-1, *[1] * (len(weight.shape) - 1)])


Optimizer = SGD | Momentum | Adam


def optimizer(name: str, momentum: float) -> Optimizer:
    """The optimiser that ``local.optimizer`` names; ``momentum`` is the share of velocities that stays."""
    return {"adam": Adam(), "sgd": SGD(), "momentum": Momentum(momentum)}[name]
