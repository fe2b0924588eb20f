"""The compiled program that advances runs side by side through whole blocks of iterations.

Every column is a run. What differs between columns is a vector; what they share shapes the program. It is compiled as a
whole, or where networks are trained on a processor piece by piece, so that its cores train workers at the same time.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms import UplinkKind
from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.arrays import Tensor
from otafl.problems.classification import Classification
from otafl.problems.problem import Problem
from otafl.training.learner import Learner
from otafl.uplinks.analog import AnalogLink, Radio, on_elements
from otafl.uplinks.digital import DigitalLink
from otafl.uplinks.link import Downlink, Link
from otafl.xla import fused

METRICS = ("energy", "test_accuracy", "loss", "primal_residual", "dual_residual")


class Form(NamedTuple):
    """What shapes a program, and stays when only numbers change.

    Arguments:
        method: its module.
        uplink: which one carries it.
        downlink: likewise.
        learner: how networks are trained; None: the problem has exact minimisers.
        flips: whether a change of channel changes what the workers do.
        whole: whether all is compiled as one program.
    """

    method: Any
    uplink: UplinkKind
    downlink: Downlink
    learner: Learner | None
    flips: bool
    whole: bool


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
        gain: |h|² on the subcarriers in use; one subcarrier: the gain of all. Shape [B, workers, subcarriers, E].
        noise: real samples N(0, 1). Shape [B, I, d, E].
        downlink_noise: likewise for an analog downlink. Shape [B, I, workers, d, E]; without one it is empty.
        first: number of each block's first iteration. Shape [B].
        lengths: iterations of each block. Shape [B].
        changed: whether the channel has changed since the block before, and the method heeds it. Shape [B].
        record: iterations at which loss and residuals are wanted. Shape [B, I].
        evaluate: iterations at which the test accuracy is wanted. Shape [B, I].
        blocks: how many of the B blocks there are to do. Scalar.
    """

    gain: Any
    noise: Any
    downlink_noise: Any
    first: Any
    lengths: Any
    changed: Any
    record: Any
    evaluate: Any
    blocks: Any


class Program(NamedTuple):
    """The iterations of a method on some columns, while they are being traced."""

    form: Form
    problem: Problem
    vectors: Vectors
    chunk: Chunk

    def blocks(self, state: Any, rows: tf.TensorArray) -> tuple:
        """All blocks of the chunk; returns the state and a row of METRICS for each iteration."""
        start = (tf.constant(0), state, rows)
        return tf.while_loop(lambda b, *_: b < self.chunk.blocks, self.block, start)[1:]

    def block(self, b: Tensor, state: Any, rows: tf.TensorArray) -> tuple:
        """One block: its gains, what is prepared for it, and its iterations, of which the first may be a change."""
        gain = self.columns(self.chunk.gain[b])
        prepared = self.fused(lambda: self.prepare(gain))
        changed = self.chunk.changed[b] if self.form.flips else False
        state, rows = self.iterate((b, 0), state, rows, gain, prepared, changed)
        _, state, rows = tf.while_loop(
            lambda i, *_: i < self.chunk.lengths[b],
            lambda i, state, rows: (i + 1, *self.iterate((b, i), state, rows, gain, prepared, False)),
            (tf.constant(1), state, rows),
        )
        return b + 1, state, rows

    def prepare(self, gain: Tensor) -> Any:
        """What the method prepares for a coherence block."""
        return self.form.method.prepare(self.problem, self.on_elements(gain), self.vectors.hyperparameters)

    def iterate(self, at: tuple, state: Any, rows: tf.TensorArray, gain: Tensor, block: Any, changed: Any) -> tuple:
        """One iteration: the workers' part, the rest of the method's step, and a row of METRICS."""
        problem = self.problem.at(self.chunk.first[at[0]] + at[1])
        local = self.form.method.local_update(state, problem, block, changed)
        after, measured = self.fused(lambda: self.exchange(at, state, local, gain, block))
        accuracy = tf.cond(
            self.chunk.evaluate[at],
            lambda: self.evaluated(lambda: problem.test_accuracy(after.model)),
            lambda: tf.zeros_like(measured[0]),
        )
        row = tf.concat([measured[:1], accuracy[None], measured[1:]], axis=0)
        return after, rows.write(at[0] * self.chunk.record.shape[1] + at[1], row)

    def exchange(self, at: tuple, state: Any, local: Any, gain: Tensor, block: Any) -> tuple:
        """The server's part and what follows from it; returns the state and METRICS but the accuracy."""
        gain, parameters = self.on_elements(gain), self.vectors.hyperparameters
        after, upload = self.form.method.global_update(state, local, gain, self.link(at, 1 / gain), parameters)
        nothing = tf.zeros([len(METRICS) - 2, *upload.energy.shape], upload.energy.dtype)

        def measure() -> Tensor:
            loss = self.problem.loss(self.form.method.local_models(after), local.losses)
            finite = tf.reduce_all(tf.math.is_finite(after.model), axis=[0, 1])
            loss = tf.where(finite, loss, tf.constant(np.nan, loss.dtype))
            return tf.stack([loss, *self.form.method.residuals(state, after, block)])

        measured = tf.cond(self.chunk.record[at], measure, lambda: nothing)
        return after, tf.concat([upload.energy[None], measured], axis=0)

    def link(self, at: tuple, inverse_gain: Tensor) -> Link:
        """The link of one iteration, with its noise."""
        if self.form.uplink == "digital":
            return DigitalLink(tf.zeros_like(inverse_gain[0, 0]))
        heard = self.columns(self.chunk.downlink_noise[at]) if self.form.downlink == "analog" else None
        return AnalogLink(inverse_gain, self.columns(self.chunk.noise[at]), heard, self.vectors.radio)

    def columns(self, draws: Tensor) -> Tensor:
        """Draws of every seed, on the last axis, as draws of every column."""
        return tf.gather(draws, self.vectors.seed_index, axis=-1)

    def on_elements(self, gain: Tensor) -> Tensor:
        """Gains of subcarriers as those of elements. Shape [workers, d, columns]."""
        return on_elements(gain, self.problem.start.shape[1])

    def evaluated(self, compute: Callable[[], Any]) -> Any:
        """Compute what a network gives."""
        return compute() if self.form.whole or not self.form.learner else self.form.learner.fused(compute)

    def fused(self, compute: Callable[[], Any]) -> Any:
        """Compute something in a compiled program of its own, unless all is one."""
        return compute() if self.form.whole else fused(compute)


@functools.cache
def compiled(form: Form) -> Callable[..., Any]:
    """The compiled program ``advance(state, problem, vectors, chunk)`` of a form.

    It returns the state after the chunk and the METRICS of its iterations, of shape [B, I, metrics, columns]; the
    accuracy is 0 where ``chunk.evaluate`` does not ask for it, the rest but the energy where ``chunk.record`` does not.
    """

    @tf.function(jit_compile=form.whole, autograph=False)
    def advance(state: Any, problem: Any, vectors: Vectors, chunk: Chunk) -> tuple[Any, Tensor]:
        bound = Classification(form.learner, *problem) if form.learner else problem
        most, longest = chunk.record.shape
        shape = [len(METRICS), vectors.seed_index.shape[0]]
        rows = tf.TensorArray(bound.start.dtype, most * longest, element_shape=shape)
        state, rows = Program(form, bound, vectors, chunk).blocks(state, rows)
        return state, tf.reshape(rows.stack(), [most, longest, *shape])

    return advance
