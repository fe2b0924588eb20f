"""The executor that keeps all workers in the program: it advances runs side by side through whole blocks of iterations.

Every column is a run. What differs between columns is a vector; what they share shapes the program. It is compiled as a
whole, or where networks are trained on a processor piece by piece, so that its cores train workers at the same time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from channels.effective import Effective
from otafl import xla
from otafl.arrays import Tensor
from otafl.engine.iteration import ROW, Form, Given, State, iterate, prepare
from otafl.uplinks.link import Inputs


class Columns(NamedTuple):
    """What differs between columns.

    Arguments:
        shared, own: the problem's data.
        parameters: of the method, by name. Shape [columns] each.
        radio: numbers of the uplink, by name. Shape [columns] each.
    """

    shared: Any
    own: Any
    parameters: Any
    radio: Any


class Chunk(NamedTuple):
    """Random inputs and marks for a chunk of B blocks of at most I iterations each, for E seeds or columns.

    Arguments:
        channel: the effective channel. Shapes [B, workers or 1, subcarriers or 1, E].
        noise: real samples N(0, 1) of the server's receiver. Shape [B, I, vectors, d, E], over an exact uplink empty.
        downlink_noise: likewise of workers. Shape [B, I, vectors, workers, d, E]; without an analog downlink empty.
        first: number of each block's first iteration. Shape [B].
        lengths: iterations of each block. Shape [B].
        changed: whether the channel has changed since the block before, and the method heeds it, [B]; or since each
            worker last took part, [B, I, workers, 1, 1].
        record: iterations at which loss and residuals are wanted. Shape [B, I].
        evaluate: iterations at which the test accuracy is wanted. Shape [B, I].
        weight: ω. Shape [workers, 1, 1].
        uploads: whether an iteration ends with an upload, 1 or 0; None: all do. Shape [B, I, 1, 1, 1].
        blocks: how many of the B blocks there are to do. Scalar.
        epochs: passes that workers make; None: steps are counted. Shape [workers] or [B, I, workers].
        steps: Q. Shape [workers, 1, 1] or [B, I, workers, 1, 1].
        active: who takes part, 1 or 0; None: all. Shape [B, I, workers, 1, 1].
    """

    channel: Any
    noise: Any
    downlink_noise: Any
    first: Any
    lengths: Any
    changed: Any
    record: Any
    evaluate: Any
    weight: Any
    uploads: Any
    blocks: Any
    epochs: Any = None
    steps: Any = None
    active: Any = None

    def of(self, seeds: tuple[int, ...]) -> "Chunk":
        """The tensors of columns that draw from some of the seeds, from arrays of all.

        So a program knows of no other seeds, and none has an effect on what a column computes.
        """

        def drawn(part: np.ndarray) -> np.ndarray:
            return part if part.shape[-1] == len(seeds) == 1 else np.take(part, seeds, axis=-1)

        noise, downlink_noise = drawn(self.noise), drawn(self.downlink_noise)
        chunk = self._replace(channel=self.channel.each(drawn), noise=noise, downlink_noise=downlink_noise)
        return tf.nest.map_structure(lambda leaf: None if leaf is None else tf.constant(leaf), chunk)


class Program(NamedTuple):
    """The iterations of a method on some columns, while they are being traced."""

    form: Form
    columns: Columns
    chunk: Chunk

    def blocks(self, state: State, rows: tf.TensorArray) -> tuple:
        """All blocks of the chunk; returns the state and a ROW for each iteration."""
        start = (tf.constant(0), state, rows)
        return tf.while_loop(lambda b, *_: b < self.chunk.blocks, self.block, start)[1:]

    def block(self, b: Tensor, state: State, rows: tf.TensorArray) -> tuple:
        """One block: its channel, what is prepared for it, and its iterations."""
        channel = self.chunk.channel.each(lambda part: part[b])
        prepared = prepare(self.form, self.problem((b, 0)), channel.gain, self.columns.parameters)
        _, state, rows = tf.while_loop(
            lambda i, *_: i < self.chunk.lengths[b],
            lambda i, state, rows: (i + 1, *self.iterate((b, i), state, rows, channel, prepared)),
            (tf.constant(0), state, rows),
        )
        return b + 1, state, rows

    def iterate(self, at: tuple, state: State, rows: tf.TensorArray, channel: Effective, prepared: Any) -> tuple:
        """One iteration and its ROW."""
        given = self.given(at, channel, prepared)
        after, measured = iterate(self.form, state, given)
        accuracy = tf.cond(
            self.chunk.evaluate[at],
            lambda: given.problem.test_accuracy(after.server.model),
            lambda: tf.zeros_like(measured[0]),
        )
        row = tf.concat([measured, accuracy[None]], axis=0)
        return after, rows.write(at[0] * self.chunk.record.shape[1] + at[1], row)

    def given(self, at: tuple, channel: Effective, prepared: Any) -> Given:
        """What an iteration is given."""
        chunk, number = self.chunk, self.chunk.first[at[0]] + at[1]
        return Given(
            problem=self.problem(at),
            parameters=self.columns.parameters,
            weight=chunk.weight,
            steps=_at(chunk.steps, at, 3),
            uploads=None if chunk.uploads is None else chunk.uploads[at],
            active=None if chunk.active is None else chunk.active[at],
            changed=self.changed(at),
            link=Inputs(channel, chunk.noise[at], chunk.downlink_noise[at], self.columns.radio, number),
            prepared=prepared,
            record=chunk.record[at],
        )

    def changed(self, at: tuple) -> Any:
        """Whether the channel has changed before an iteration, the first of its block; or for each worker, as given."""
        if not self.form.flips:
            return False
        return self.chunk.changed[at[0]] & (at[1] == 0) if self.chunk.active is None else self.chunk.changed[at]

    def problem(self, at: tuple) -> Any:
        """The local problems of an iteration."""
        number, epochs = self.chunk.first[at[0]] + at[1], _at(self.chunk.epochs, at, 1)
        return self.form.kind.bind(self.form.learner, self.columns.shared, self.columns.own, number, epochs)


def _at(values: Tensor | None, at: tuple, rank: int) -> Tensor | None:
    """Values of an iteration, which may be the same in all: then they have so many axes."""
    return values if values is None or len(values.shape) == rank else values[at]


@xla.kept
def compiled(form: Form) -> Callable[..., Any]:
    """The compiled program ``advance(state, columns, chunk)`` of a form.

    It returns the state after the chunk and the ROW of its iterations, of shape [B, I, row, columns]; the accuracy is 0
    where ``chunk.evaluate`` does not ask for it, LEARNT where ``chunk.record`` does not.
    """

    @tf.function(jit_compile=form.whole, autograph=False)
    def advance(state: State, columns: Columns, chunk: Chunk) -> tuple[State, Tensor]:
        most, longest = chunk.record.shape
        (heard, *_) = state.heard
        shape = [len(ROW), heard.shape[-1]]
        rows = tf.TensorArray(heard.dtype, most * longest, element_shape=shape)
        state, rows = Program(form, columns, chunk).blocks(state, rows)
        return state, tf.reshape(rows.stack(), [most, longest, *shape])

    return advance
