"""Optimisers as pure functions on lists of weights; a worker begins every round with fresh slots.

Their formulas and defaults are those of keras.optimizers.
"""

from collections.abc import Callable
from dataclasses import dataclass

from otafl.numerics.tensors import Tensor, tf

Tensors = list[Tensor]
"""Weights, gradients or slots, an array for each of the model's weights."""
Updated = tuple[Tensors, Tensors]
"""Weights and slots after a step."""


@dataclass(frozen=True)
class SGD:
    """Optimiser of stochastic gradient descent, θ ← θ − ηg: weights θ, gradients g, learning rate η."""

    def slots(self, weights: Tensors) -> Tensors:
        return []

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return the weights after a step θ ← θ − ηg of local training, and the slots unchanged."""
        return [weight - rate * grad for weight, grad in zip(weights, grads, strict=True)], slots


@dataclass(frozen=True)
class Momentum:
    """Optimiser of SGD with momentum, v ← mv − ηg and θ ← θ + v: weights θ, gradients g, learning rate η, velocities v.

    Arguments:
        momentum: share m of the velocity that stays in a step, 0 to 1.
    """

    momentum: float = 0.9

    def slots(self, weights: Tensors) -> Tensors:
        return [tf.zeros_like(weight) for weight in weights]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return the weights θ and the velocities v after a step of local training."""
        slots = [self.momentum * slot - rate * grad for slot, grad in zip(slots, grads, strict=True)]
        return [weight + slot for weight, slot in zip(weights, slots, strict=True)], slots


@dataclass(frozen=True)
class Adam:
    """Optimiser Adam (Kingma and Ba, 2015) with the bias correction in the step size, θ ← θ − η_t m/(√v + ε).

    Symbols: weights θ; learning rate η_t, corrected for the bias in step t; means m of gradients and v of their
    squares.

    Arguments:
        beta_1: decay of the first moment m in a step, 0 to 1.
        beta_2: decay of the second moment v in a step, 0 to 1.
        epsilon: number ε that keeps the denominator from 0.
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7

    def slots(self, weights: Tensors) -> Tensors:
        return [tf.zeros_like(weight) for weight in (*weights, *weights)]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return the weights θ and the moments m and v after a step of local training."""
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
    """Return a rate, or the rates of workers along the weights' first axis."""
    return rate if len(rate.shape) == 0 else tf.reshape(rate, [-1, *[1] * (len(weight.shape) - 1)])


Optimizer = SGD | Momentum | Adam
"""Optimisers of local training."""


OPTIMIZERS: dict[str, Callable[[float], Optimizer]] = {
    "adam": lambda momentum: Adam(),
    "sgd": lambda momentum: SGD(),
    "momentum": Momentum,
}
"""Optimisers by name, each made with ``local.momentum``."""
