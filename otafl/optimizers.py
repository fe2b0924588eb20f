"""Optimisers as pure functions on lists of weights; a worker begins every round with fresh slots.

Their formulas and defaults are those of keras.optimizers.
"""

from collections.abc import Callable
from dataclasses import dataclass

from otafl.arrays import Tensor, tf

Tensors = list[Tensor]
"""Weights, gradients or slots, an array for each of the model's weights."""
Updated = tuple[Tensors, Tensors]
"""Weights and slots after a step."""


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent, θ ← θ − ηg."""

    def slots(self, weights: Tensors) -> Tensors:
        """Return no slots."""
        return []

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return weights after a step with gradients at a rate."""
        return [weight - rate * grad for weight, grad in zip(weights, grads, strict=True)], slots


@dataclass(frozen=True)
class Momentum:
    """SGD with momentum, v ← mv − ηg and θ ← θ + v.

    Arguments:
        momentum: m.
    """

    momentum: float = 0.9

    def slots(self, weights: Tensors) -> Tensors:
        """Return velocities v of zero."""
        return [tf.zeros_like(weight) for weight in weights]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return weights and velocities after a step."""
        slots = [self.momentum * slot - rate * grad for slot, grad in zip(slots, grads, strict=True)]
        return [weight + slot for weight, slot in zip(weights, slots, strict=True)], slots


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015) with the bias correction in the step size, θ ← θ − η_t m/(√v + ε).

    Arguments:
        beta_1: decay of the first moment m.
        beta_2: decay of the second moment v.
        epsilon: ε.
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7

    def slots(self, weights: Tensors) -> Tensors:
        """Return moments m, then v, of zero."""
        return [tf.zeros_like(weight) for weight in (*weights, *weights)]

    def update(self, weights: Tensors, slots: Tensors, grads: Tensors, rate: Tensor, step: Tensor) -> Updated:
        """Return weights and moments after step number ``step``, from 1; a scalar, or one of each worker."""
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
