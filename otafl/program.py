"""The compiled program that advances runs side by side through whole blocks of iterations.

Every column is a run. What differs between columns is a vector; what they share shapes the program.
"""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import tensorflow as tf

from otafl.algorithms import UplinkKind
from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks.analog import AnalogLink, Radio
from otafl.uplinks.digital import DigitalLink
from otafl.uplinks.link import Downlink, Link

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
        downlink_noise: likewise for an analog downlink. Shape [B, I, workers, d, E]; without one it is empty.
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


class Program(NamedTuple):
    """The iterations of a method on some columns, while they are being traced."""

    method: ModuleType
    uplink: UplinkKind
    downlink: Downlink
    problem: LinearRegression
    vectors: Vectors
    chunk: Chunk

    def blocks(self, state: Any, rows: tf.TensorArray) -> tuple:
        """All blocks of the chunk; returns the state and a row of METRICS for each iteration."""
        start = (tf.constant(0), state, rows)
        return tf.while_loop(lambda b, *_: b < self.chunk.blocks, self.block, start)[1:]

    def block(self, b: Tensor, state: Any, rows: tf.TensorArray) -> tuple:
        """One block: its gains, what is prepared for it, and its iterations, of which the first may be a change."""
        gain = self.columns(self.chunk.gain[b])
        prepared = self.method.prepare(self.problem, gain, self.vectors.hyperparameters), 1 / gain
        state, rows = self.iterate((b, 0), state, rows, prepared, self.chunk.changed[b])
        _, state, rows = tf.while_loop(
            lambda i, *_: i < self.chunk.lengths[b],
            lambda i, state, rows: (i + 1, *self.iterate((b, i), state, rows, prepared, False)),
            (tf.constant(1), state, rows),
        )
        return b + 1, state, rows

    def iterate(self, at: tuple, state: Any, rows: tf.TensorArray, prepared: tuple, changed: Any) -> tuple:
        """One iteration: the method's step, and its row of METRICS."""
        block, inverse_gain = prepared
        link, parameters = self.link(at, inverse_gain), self.vectors.hyperparameters
        after, upload = self.method.step(state, self.problem, block, link, parameters, changed)
        nothing = tf.zeros([len(METRICS) - 1, *upload.energy.shape], upload.energy.dtype)
        measured = tf.cond(self.chunk.record[at], lambda: self.measure(state, after, block), lambda: nothing)
        row = tf.concat([upload.energy[None], measured], axis=0)
        return after, rows.write(at[0] * self.chunk.record.shape[1] + at[1], row)

    def measure(self, before: Any, after: Any, block: Any) -> Tensor:
        """Loss and residuals. Shape [metrics - 1, columns]."""
        loss = linear_regression.optimality_gap(self.problem, self.method.local_models(after))
        return tf.stack([loss, *self.method.residuals(before, after, block)])

    def link(self, at: tuple, inverse_gain: Tensor) -> Link:
        """The link of one iteration, with its noise."""
        if self.uplink == "digital":
            return DigitalLink(tf.zeros_like(inverse_gain[0, 0]))
        heard = self.columns(self.chunk.downlink_noise[at]) if self.downlink == "analog" else None
        return AnalogLink(inverse_gain, self.columns(self.chunk.noise[at]), heard, self.vectors.radio)

    def columns(self, draws: Tensor) -> Tensor:
        """Draws of every seed, on the last axis, as draws of every column."""
        return tf.gather(draws, self.vectors.seed_index, axis=-1)


@functools.cache
def compiled(method: ModuleType, uplink: UplinkKind, downlink: Downlink) -> Callable[..., Any]:
    """The compiled program ``advance(state, problem, vectors, chunk)`` of a method.

    It returns the state after the chunk and the METRICS of its iterations, of shape [B, I, metrics, columns]; all but
    the energy are 0 where ``chunk.record`` does not ask for them.
    """

    @tf.function(jit_compile=True, autograph=False)
    def advance(state: Any, problem: LinearRegression, vectors: Vectors, chunk: Chunk) -> tuple[Any, Tensor]:
        most, longest = chunk.record.shape
        shape = [len(METRICS), vectors.seed_index.shape[0]]
        rows = tf.TensorArray(problem.linear.dtype, most * longest, element_shape=shape)
        state, rows = Program(method, uplink, downlink, problem, vectors, chunk).blocks(state, rows)
        return state, tf.reshape(rows.stack(), [most, longest, *shape])

    return advance
