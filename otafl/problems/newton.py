"""Newton's method for many small convex problems at once, [batch, d], with derivatives by differentiation.

A step is halved until the objective falls as by Armijo's rule. A problem ends after the step whose decrement −⟨g, p⟩,
with gradient g and step p, is at most ``TOLERANCE``·(1 + |F|). The objective F is then that close to its minimum, but
for rounding. Equations are damped by a multiple of the gradient's norm, which vanishes at the minimum.
"""

from collections.abc import Callable

import tensorflow as tf

from otafl.numerics.tensors import FlatModels, Tensor

TOLERANCE = 1e-20
"""Decrement relative to 1 + |F| after which a problem ends."""
STEPS = 60
HALVINGS = 50
FALL = 1e-4
"""Least fall of the objective in a step, as a share of what its slope tells (Armijo)."""
ROUNDING = 1e-14
"""Rise of the objective relative to 1 + |F| that counts as rounding."""
DAMPING = 1e-6
"""Damping of the equations over the norm of the gradient."""
SINGULAR = 1e-14
"""Damping over the largest second derivative, so that systems without curvature can be solved."""

Objective = Callable[[FlatModels], Tensor]
"""Function from models [batch, d] to values [batch], each of which depends on its own model alone."""


def minimise(objective: Objective, start: FlatModels) -> tuple[FlatModels, Tensor]:
    """Return the minima of a batch of convex problems, and True for those that ended before the last step, [batch].

    >>> start = tf.zeros([1, 2], tf.float64)
    >>> minimise(lambda theta: tf.reduce_sum((theta - [3.0, 4.0]) ** 2, axis=1), start)[0].numpy().round(6).tolist()
    [[3.0, 4.0]]
    """

    def step(k: Tensor, theta: Tensor, open_: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        value, slope, curvature = derivatives(objective, theta)
        along = -_solved(curvature, slope)
        decrement = -tf.reduce_sum(along * slope, axis=-1)
        size = _halved(objective, theta, along, value, decrement)
        moved = tf.where(open_[:, None], theta + size[:, None] * along, theta)
        return k + 1, moved, open_ & (decrement > TOLERANCE * (1 + tf.abs(value)))

    everyone = tf.fill(tf.shape(start)[:1], True)
    begin = (tf.constant(0), start, everyone)
    _, theta, open_ = tf.while_loop(lambda k, theta, open_: (k < STEPS) & tf.reduce_any(open_), step, begin)
    return theta, ~open_


def derivatives(objective: Objective, theta: FlatModels) -> tuple[Tensor, FlatModels, Tensor]:
    """Return values, gradients and second derivatives of an objective. Shapes [batch], [batch, d] and [batch, d, d]."""
    with tf.GradientTape() as outer:
        outer.watch(theta)
        value, slope = gradient(objective, theta)
    zero = tf.UnconnectedGradients.ZERO
    return value, slope, outer.batch_jacobian(slope, theta, unconnected_gradients=zero)


def gradient(objective: Objective, theta: FlatModels) -> tuple[Tensor, FlatModels]:
    """Return values and gradients of an objective. Shapes [batch] and [batch, d]."""
    with tf.GradientTape() as tape:
        tape.watch(theta)
        value = objective(theta)
    slope = tape.gradient(value, theta, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return value, tf.ensure_shape(tf.convert_to_tensor(slope), theta.shape)


def _solved(curvature: Tensor, slope: FlatModels) -> FlatModels:
    most = tf.reduce_max(tf.linalg.diag_part(curvature), axis=-1)
    damping = DAMPING * tf.norm(slope, axis=-1) + SINGULAR * (1 + most)
    diagonal = tf.linalg.diag(tf.zeros_like(slope) + damping[:, None])
    return tf.linalg.cholesky_solve(tf.linalg.cholesky(curvature + diagonal), slope[..., None])[..., 0]


def _halved(objective: Objective, theta: FlatModels, along: FlatModels, value: Tensor, decrement: Tensor) -> Tensor:
    """Return the size of each step, 1 or a power of ½, at which the objective falls. Shape [batch]."""
    slack = ROUNDING * (1 + tf.abs(value))

    def rises(size: Tensor) -> Tensor:
        return ~(objective(theta + size[:, None] * along) <= value - FALL * size * decrement + slack)

    def halve(k: Tensor, size: Tensor, wrong: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        smaller = tf.where(wrong, size / 2, size)
        return k + 1, smaller, rises(smaller)

    first = tf.ones_like(value)
    begin = (tf.constant(0), first, rises(first))
    return tf.while_loop(lambda k, _, wrong: (k < HALVINGS) & tf.reduce_any(wrong), halve, begin)[1]
