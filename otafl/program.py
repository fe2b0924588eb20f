"""The compiled program that advances runs side by side through whole blocks of iterations.

Every column is a run. What differs between columns is a vector; what they share shapes the program.
"""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import tensorflow as tf

from otafl.algorithms import UplinkKind
from otafl.algorithms.round import Downlink, Hyperparameters, Link
from otafl.arrays import Tensor
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks.analog import AnalogLink, Radio
from otafl.uplinks.digital import DigitalLink

METRICS = ("energy", "loss", "primal_residual", "dual_residual")


class Vectors(NamedTuple):
    """The parameters of the columns; every leaf has shape [columns].

    Arguments:
        hyperparameters: of the method.
        radio: of the analog uplink; unused by a digital one.
        seed_index: which of the chunk's seeds a column draws from.
    """

    hyperparameters: Hyperparameters
    radio: Radio
    seed_index: Any


class Chunk(NamedTuple):
    """Random inputs and marks for a chunk of B blocks of at most I iterations each, for E seeds.

    Arguments:
        gain: |h|² on each element's subcarrier. Shape [B, workers, d, E].
        noise: real samples N(0, 1). Shape [B, I, d, E].
        downlink_noise: likewise for an analog downlink, else 0. Shape [B, I, workers, d, E], else [B, I, 1, 1, E].
        lengths: iterations of each block. Shape [B].
        changed: whether the channel has changed since the block before. Shape [B].
        record: iterations at which loss and residuals are wanted. Shape [B, I].
        blocks: how many of the B blocks there are to do. Scalar.
    """

    gain: Any
    noise: Any
    downlink_noise: Any
    lengths: Any
    changed: Any
    record: Any
    blocks: Any


@functools.cache
def compiled(method: ModuleType, uplink: UplinkKind, downlink: Downlink) -> Callable[..., Any]:
    """The program ``advance(state, problem, vectors, chunk)`` of a method.

    It returns the state after the chunk and the METRICS of its iterations, of shape [B, I, metrics, columns]; all but
    the energy are 0 where ``chunk.record`` does not ask for them.
    """

    def link_at(at: tuple, inverse_gain: Tensor, vectors: Vectors, chunk: Chunk) -> Link:
        if uplink == "digital":
            return DigitalLink(tf.zeros_like(inverse_gain[0, 0]))
        noise = _columns(chunk.noise[at], vectors)
        heard = _columns(chunk.downlink_noise[at], vectors) if downlink == "analog" else None
        return AnalogLink(inverse_gain, noise, heard, vectors.radio)

    @tf.function(jit_compile=True, autograph=False)
    def advance(state: Any, problem: LinearRegression, vectors: Vectors, chunk: Chunk) -> tuple[Any, Tensor]:
        parameters, columns = vectors.hyperparameters, vectors.seed_index.shape[0]
        most, longest = chunk.record.shape
        nothing = tf.zeros([len(METRICS) - 1, columns], problem.linear.dtype)

        def measure(before: Any, after: Any, block: Any) -> Tensor:
            loss = linear_regression.optimality_gap(problem, method.local_models(after))
            return tf.stack([loss, *method.residuals(before, after, block)])

        def iterate(at: tuple, state: Any, rows: Any, inverse_gain: Tensor, block: Any, changed: Any) -> tuple:
            link = link_at(at, inverse_gain, vectors, chunk)
            after, upload = method.step(state, problem, block, link, parameters, changed)
            measured = tf.cond(chunk.record[at], lambda: measure(state, after, block), lambda: nothing)
            row = tf.concat([upload.energy[None], measured], axis=0)
            return after, rows.write(at[0] * longest + at[1], row)

        def one_block(b: Tensor, state: Any, rows: Any) -> tuple:
            gain = _columns(chunk.gain[b], vectors)
            inverse_gain = 1 / gain
            block = method.prepare(problem, gain, parameters)
            state, rows = iterate((b, 0), state, rows, inverse_gain, block, chunk.changed[b])
            _, state, rows = tf.while_loop(
                lambda i, *_: i < chunk.lengths[b],
                lambda i, state, rows: (i + 1, *iterate((b, i), state, rows, inverse_gain, block, False)),
                (tf.constant(1), state, rows),
            )
            return b + 1, state, rows

        rows = tf.TensorArray(problem.linear.dtype, most * longest, element_shape=[len(METRICS), columns])
        _, state, rows = tf.while_loop(lambda b, *_: b < chunk.blocks, one_block, (tf.constant(0), state, rows))
        return state, tf.reshape(rows.stack(), [most, longest, len(METRICS), columns])

    return advance


def _columns(draws: Tensor, vectors: Vectors) -> Tensor:
    """Draws of every seed, on the last axis, as draws of every column."""
    return tf.gather(draws, vectors.seed_index, axis=-1)
