"""D. L. Donoho, A. Maleki, A. Montanari, "Message-Passing Algorithms for Compressed Sensing": approximate message
passing (AMP), which finds a sparse vector in few random measurements of it.

Elements of a long vector go in turn to blocks of at most BLOCK elements. One Gaussian matrix measures all blocks, so
that neither its size nor the work grows with the square of the vector's length.

The threshold is a multiple of the residual's standard deviation. Each block takes the one of MULTIPLES of the minimax
multiplier that leaves the smallest residual. Its variance estimates the noise's, and d/s times the squared error.

In ROUNDS rounds most blocks without noise are found to 1e-4 of their square if they are sparse: with at most 0.10 s
elements for s/d = 0.1, or 0.20 s for 0.5. Near Donoho and Tanner's transition, 0.19 s and 0.39 s, it takes hundreds of
rounds, each of which costs as much.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from otafl.numerics.tensors import Estimate, Received, Scalar, SentNumbers, Tensor, Vectors, tf
from otafl.receivers.mean_of_active import MeanOfActive
from otafl.receivers.receiver import register

BLOCK = 2048
"""Most elements of a block."""
MULTIPLES = (1.0, 1.3, 1.7)
"""Multiples of the minimax multiplier; larger ones are better for vectors that are less sparse, or in noise."""
ROUNDS = 20
PUBLIC_SEED = 1
"""Seed of the matrices, which all workers and the server know, and which are new in every round of communication."""


@register("amp")
@dataclass(frozen=True)
class Amp(MeanOfActive):
    """Sparse sum that message passing finds in the mean of measurements over the active workers."""

    from_measurements = True

    def requires(self, chain, settings, method) -> str:
        return "" if chain.compressor.measures else "needs uplink.compressor = 'random_projection'"

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        taken = total.shape[0]
        if taken == elements:
            return total
        return recovered(matrix(elements, taken, draw, total.dtype), total, elements)


def blocks(elements: int) -> int:
    """Return the number of blocks of a vector of d elements, of at most BLOCK elements each."""
    return -(-elements // BLOCK)


def measurements(elements: int, ratio: float) -> int:
    """Return the number s of measurements of a vector of d elements, the same for each block, at least a ratio s/d."""
    count = blocks(elements)
    return elements if ratio == 1 else count * math.ceil(ratio * elements / count)


def matrix(elements: int, taken: int, draw: Scalar, dtype: "tf.DType") -> Tensor:
    """Return the matrix of s measurements of d elements for a draw, N(0, B/s) for B blocks: [s/B, ⌈d/B⌉]."""
    shape = taken // blocks(elements), -(-elements // blocks(elements))
    drawn = tf.random.stateless_normal(shape, tf.stack([PUBLIC_SEED, draw]), alg="philox")
    return tf.cast(drawn, dtype) / math.sqrt(shape[0])


def measured(operator: Tensor, vectors: Vectors) -> SentNumbers:
    """Return measurements of vectors by the result of ``matrix``."""
    workers, elements, runs = map(int, vectors.shape)
    rows, columns = map(int, operator.shape)
    count = blocks(elements)
    padded = tf.pad(vectors, [[0, 0], [0, count * columns - elements], [0, 0]])
    taken = operator @ tf.reshape(padded, [workers, columns, count * runs])
    return tf.reshape(taken, [workers, count * rows, runs])


def recovered(operator: Tensor, received: Received, elements: int) -> Estimate:
    """Return the sparse vector of d elements behind noisy measurements by the result of ``matrix``."""
    rows, columns = map(int, operator.shape)
    runs, tried = int(received.shape[1]), len(MULTIPLES)
    many = blocks(elements) * runs
    signal = tf.tile(tf.reshape(received, [rows, many]), [1, tried])
    thresholds = [minimax(rows / columns) * multiple for multiple in MULTIPLES]
    threshold = tf.repeat(tf.constant(thresholds, signal.dtype), many)
    _, estimates, residual = tf.while_loop(
        lambda number, *_: number < ROUNDS,
        lambda number, estimate, residual: (number + 1, *passed(operator, signal, estimate, residual, threshold)),
        (tf.constant(0), tf.zeros([columns, tried * many], signal.dtype), signal),
    )
    left = tf.reshape(tf.reduce_sum(tf.square(residual), axis=0), [tried, many])
    best = tf.one_hot(tf.argmin(left, axis=0), tried, axis=0, dtype=signal.dtype)
    chosen = tf.reduce_sum(best * tf.reshape(estimates, [columns, tried, many]), axis=1)
    return tf.reshape(chosen, [columns * blocks(elements), runs])[:elements]


def passed(operator: Tensor, signal: Tensor, estimate: Tensor, residual: Tensor, threshold: Tensor) -> tuple:
    """Return estimate x, [d, vectors], and residual r ← y - Ax + r·‖x‖_0/s of y by A, [s, d], with Onsager's term."""
    measurements = operator.shape[0]
    level = threshold * tf.sqrt(tf.reduce_mean(tf.square(residual), axis=0))
    seen = estimate + tf.matmul(operator, residual, transpose_a=True)
    estimate = tf.sign(seen) * tf.nn.relu(tf.abs(seen) - level)
    share = tf.math.count_nonzero(estimate, axis=0, dtype=estimate.dtype) / measurements
    return estimate, signal - operator @ estimate + share * residual


@functools.cache
def minimax(ratio: float) -> float:
    """Return the multiplier that finds the least sparse vectors without noise at a ratio s/d, by state evolution."""
    from scipy.stats import norm

    tried = np.linspace(0.01, 5, 5000)
    lost = (1 + tried**2) * norm.cdf(-tried) - tried * norm.pdf(tried)
    return float(tried[np.argmax((1 - 2 / ratio * lost) / (1 + tried**2 - 2 * lost))])
