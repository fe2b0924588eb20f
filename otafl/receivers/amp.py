"""D. L. Donoho, A. Maleki, A. Montanari, "Message-Passing Algorithms for Compressed Sensing": approximate message
passing (AMP), which finds a sparse vector in few random measurements of it.

Elements of a long vector go in turn to blocks of at most BLOCK, which one Gaussian matrix measures, so that neither its
size nor the work grows with the square of the vector's. The threshold is a multiple of the residual's standard
deviation; of MULTIPLES of the minimax one, each block takes the one that leaves the smallest residual, since its
variance estimates that of the noise and d/s times the mean-squared error. In ROUNDS rounds most blocks without noise
are found to 1e-4 of their square where they have at most 0.10 s elements, for s/d = 0.1, or 0.20 s for 0.5; near Donoho
and Tanner's transition, 0.19 s and 0.39 s, it takes hundreds, each of which costs as much.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from otafl.arrays import Tensor, tf
from otafl.receivers.mean_of_active import MeanOfActive
from otafl.receivers.protocol import register

BLOCK = 2048
"""Most elements that a block has."""
MULTIPLES = (1.0, 1.3, 1.7)
"""Of the minimax multiplier; larger ones are better for vectors that are less sparse, or in noise."""
ROUNDS = 20
"""Rounds of message passing."""
PUBLIC_SEED = 1
"""Of the matrices, which all workers and the server know, and which are new in every iteration."""


@register("amp")
@dataclass(frozen=True)
class Amp(MeanOfActive):
    """The sparse sum that message passing finds in the mean of measurements over those who are heard."""

    from_measurements: ClassVar[bool] = True

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Refuse what is sent without being measured."""
        return "" if chain.compressor.measures else "goes with uplink.compressor = 'random_projection'"

    def estimate(self, total: Tensor, elements: int, draw: Tensor) -> Tensor:
        """Return the vector behind measurements; as many numbers as elements are the vector."""
        taken = total.shape[0]
        if taken == elements:
            return total
        return recovered(matrix(elements, taken, draw, total.dtype), total, elements)


def blocks(elements: int) -> int:
    """Blocks of a vector."""
    return -(-elements // BLOCK)


def measurements(elements: int, ratio: float) -> int:
    """Measurements s of a vector of d elements for s/d at least a ratio; all d of them where that is 1."""
    count = blocks(elements)
    return elements if ratio == 1 else count * math.ceil(ratio * elements / count)


def matrix(elements: int, taken: int, draw: Tensor, dtype: Any) -> Tensor:
    """What measures a block, N(0, 1/s), as the public seed has it for a draw. Shape [s/B, d/B], rounded up."""
    shape = taken // blocks(elements), -(-elements // blocks(elements))
    drawn = tf.random.stateless_normal(shape, tf.stack([PUBLIC_SEED, draw]), alg="philox")
    return tf.cast(drawn, dtype) / math.sqrt(shape[0])


def measured(operator: Tensor, vectors: Tensor) -> Tensor:
    """Measurements of vectors. Shapes [s/B, d/B], [workers, d, runs], then [workers, s, runs]."""
    (workers, elements, runs), (rows, columns) = map(int, vectors.shape), map(int, operator.shape)
    count = blocks(elements)
    padded = tf.pad(vectors, [[0, 0], [0, count * columns - elements], [0, 0]])
    taken = operator @ tf.reshape(padded, [workers, columns, count * runs])
    return tf.reshape(taken, [workers, count * rows, runs])


def recovered(operator: Tensor, received: Tensor, elements: int) -> Tensor:
    """The vector behind noisy measurements. Shapes [s/B, d/B], [s, runs], then [d, runs]."""
    (rows, columns), runs, tried = map(int, operator.shape), int(received.shape[1]), len(MULTIPLES)
    many = blocks(elements) * runs
    signal = tf.tile(tf.reshape(received, [rows, many]), [1, tried])
    threshold = tf.repeat(tf.constant([minimax(rows / columns) * one for one in MULTIPLES], signal.dtype), many)
    _, found, residual = tf.while_loop(
        lambda number, *_: number < ROUNDS,
        lambda number, found, residual: (number + 1, *passed(operator, signal, found, residual, threshold)),
        (tf.constant(0), tf.zeros([columns, tried * many], signal.dtype), signal),
    )
    left = tf.reshape(tf.reduce_sum(tf.square(residual), axis=0), [tried, many])
    best = tf.one_hot(tf.argmin(left, axis=0), tried, axis=0, dtype=signal.dtype)
    chosen = tf.reduce_sum(best * tf.reshape(found, [columns, tried, many]), axis=1)
    return tf.reshape(chosen, [columns * blocks(elements), runs])[:elements]


def passed(operator: Tensor, signal: Tensor, found: Tensor, residual: Tensor, threshold: Tensor) -> tuple:
    """The next estimate and residual, which has Onsager's term: r ← y - Ax + r·‖x‖_0/s.

    Shapes [s, d], [s, columns], [d, columns], [s, columns] and, of multipliers, [columns].
    """
    measurements = operator.shape[0]
    level = threshold * tf.sqrt(tf.reduce_mean(tf.square(residual), axis=0))
    seen = found + tf.matmul(operator, residual, transpose_a=True)
    found = tf.sign(seen) * tf.nn.relu(tf.abs(seen) - level)
    share = tf.math.count_nonzero(found, axis=0, dtype=found.dtype) / measurements
    return found, signal - operator @ found + share * residual


@functools.cache
def minimax(ratio: float) -> float:
    """The multiplier with which state evolution finds vectors of most elements, for s/d measurements without noise."""
    from scipy.stats import norm

    tried = np.linspace(0.01, 5, 5000)
    lost = (1 + tried**2) * norm.cdf(-tried) - tried * norm.pdf(tried)
    return float(tried[np.argmax((1 - 2 / ratio * lost) / (1 + tried**2 - 2 * lost))])
