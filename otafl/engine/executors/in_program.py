"""Executor with all workers in a program, which computes runs side by side through whole coherence blocks.

Every column is a run. Numbers that differ between columns are vectors; all else shapes the program. It is compiled as a
whole, or where a processor trains networks, piece by piece, so that its cores train workers at the same time.
"""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.engine import watch
from otafl.engine.checkpoint import Leaves
from otafl.engine.draws import Draws
from otafl.engine.executors.executor import Executor, Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk, Chunks, Drawn, chunks
from otafl.engine.iteration import ROW, Columns, Fields, ProgramSpec, State, iterate, prepare, problem_of
from otafl.engine.stream_position import Position
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import Tensor

NARROW, WIDE = 1, 4
SMALL = 8192
"""Largest number of elements [workers x d] of a column for which a stream has 4 columns, so that it stays in a core's
cache. Larger columns, and networks, have a stream each. The width depends on nothing else, and so the bits of a result
do not either."""

Seeds = tuple[int, ...]
"""Indices of the group's seeds from which the columns of a stream draw."""


class Program(NamedTuple):
    """Iterations of a method on some runs side by side, while TensorFlow traces them into a program.

    Metrics of an iteration are in the order of ``iteration.ROW``; those of ``form.metrics`` follow, and where workers
    train their epochs.
    """

    form: ProgramSpec
    columns: Columns
    chunk: Chunk

    def blocks(self, state: State, rows: tf.TensorArray) -> tuple:
        """Compute all coherence blocks of the chunk, and return the state after and the metrics of each iteration."""
        start = (tf.constant(0), state, rows)
        return tf.while_loop(lambda b, *_: b < self.chunk.blocks, self.block, start)[1:]

    def block(self, b: Tensor, state: State, rows: tf.TensorArray) -> tuple:
        """Compute one coherence block: the method's preparations for it, and its iterations, which have one channel."""
        draws = self.chunk.draws.of_block(b)
        prepared = prepare(self.form, self.columns, draws.at(b, 0))
        _, state, rows = tf.while_loop(
            lambda i, *_: i < self.chunk.lengths[b],
            lambda i, state, rows: (i + 1, *self.iterate((b, i), state, rows, draws.at(b, i), prepared)),
            (tf.constant(0), state, rows),
        )
        return b + 1, state, rows

    def iterate(self, at: tuple, state: State, rows: tf.TensorArray, draw: RoundDraw, prepared: Fields) -> tuple:
        """Compute one iteration, and write its metrics."""
        observe = watch.tap(self.form, self.columns)
        after, measured, epochs, metrics = iterate(self.form, state, self.columns, draw, prepared, observe)
        accuracy = tf.cond(
            draw.evaluate,
            lambda: problem_of(self.form, self.columns, draw).test_accuracy(after.server.model),
            lambda: tf.zeros_like(measured[0]),
        )
        row = tf.concat([measured, accuracy[None], *metrics, *([epochs] if self.form.learner else [])], axis=0)
        return after, rows.write(at[0] * self.chunk.draws.record.shape[1] + at[1], row)


@compilation.programs
def compiled(form: ProgramSpec) -> Callable:
    """Return the compiled program of a specification, a function ``advance(state, columns, chunk)``.

    It returns the state after the chunk and the metrics of each iteration, [B, I, metrics, runs]. The test accuracy is
    0 where ``evaluate`` does not ask for it; loss, residuals, penalty and epochs are 0 where ``record`` does not.
    """

    @tf.function(jit_compile=form.whole, autograph=False)
    def advance(state: State, columns: Columns, chunk: Chunk) -> tuple[State, Tensor]:
        most, longest = chunk.draws.record.shape
        (heard, *_) = state.heard
        workers = chunk.draws.weight.shape[0] if form.learner else 0
        shape = [len(ROW) + len(form.metrics) + workers, heard.shape[-1]]
        rows = tf.TensorArray(heard.dtype, most * longest, element_shape=shape)
        state, rows = Program(form, columns, chunk).blocks(state, rows)
        return state, tf.reshape(rows.stack(), [most, longest, *shape])

    return advance


class Resident(Executor):
    """Executor with all workers in a program, for streams of a few runs each, which the cores compute in turn.

    Runs with equal inputs are computed once, such as runs over a digital uplink that differ in SNR alone.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.program = compiled(group.form)
        width = WIDE if group.workers * group.elements <= SMALL and not group.trains else NARROW
        rows = [_row(group, index) for index in range(len(group.columns))]
        unique = sorted(dict.fromkeys(rows), key=lambda row: row[0] // width)  # streams then have their seeds in common
        self.column_of_run = np.array([unique.index(row) for row in rows])
        first = [rows.index(row) for row in unique]
        self.streams = [_Stream(group, part, self.program) for part in _split(first, width)]

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        draws = Draws(self.group, begin)
        drawn_chunks, seeds = Chunks(self.group, draws), {stream.seeds for stream in self.streams}
        for segments in chunks(self.group, draws.start):
            if draws.ledger.finished.all():
                return
            parts, who, costs, everyone = zip(*map(draws.done, segments), strict=True)
            chunk = drawn_chunks.chunk(list(parts), list(who))
            after = draws.position(segments[-1].start + segments[-1].length)
            chosen = {some: chunk.of(some) for some in seeds}
            who = list(itertools.chain(*everyone))
            yield Drawn(chosen, np.concatenate(costs), after, who, draws.ledger.clock)

    def advance(self, inputs: dict[Seeds, Chunk], pool: ThreadPoolExecutor) -> Measured:
        chunk = next(iter(inputs.values()))
        tables = list(pool.map(lambda stream: stream.advance(inputs[stream.seeds]), self.streams))
        done = np.arange(chunk.draws.record.shape[1]) < chunk.lengths.numpy()[:, None]
        table = np.concatenate(tables, axis=-1)[done][..., self.column_of_run].astype(np.float64)
        return named(self.group, np.moveaxis(table, 1, 0))

    def states(self) -> list[Leaves]:
        columns = [column for stream in self.streams for column in stream.states()]
        return [columns[place] for place in self.column_of_run]

    def set_states(self, states: list[Leaves]) -> None:
        for stream in self.streams:
            stream.set_states([states[run] for run in stream.runs])


class _Stream:
    """Columns that are computed together: problems, parameters and state."""

    def __init__(self, group: Group, where: list[int], program: Callable) -> None:
        columns, dtype = [group.columns[at] for at in where], group.task.dtype
        self.runs = where
        self.seeds: Seeds = tuple(group.seed_index[where].tolist())
        shared, own = group.task.shared(group.seed_index[where]), group.task.own(np.arange(group.workers))
        radios = [replace(group.uplink, settings=column.settings).radio for column in columns]
        radio = tf.nest.map_structure(lambda *values: tf.constant(values, dtype), *radios)
        self.columns = Columns(shared, own, group.parameters(where), radio)
        self.program = program
        server, client = group.method.init(shared.start, group.options, self.columns.parameters)
        memory = group.form.memory(server.model)
        client, memory = tf.nest.map_structure(lambda leaf: tf.repeat(leaf, group.workers, axis=0), (client, memory))
        vectors, receivers, _ = group.uplink.downlink_noise_shape
        kept = (getattr(server, name) for name in group.method.broadcasts[: vectors or 1])
        heard = tuple(tf.repeat(vector, receivers or 1, axis=0) for vector in kept)
        self.state = State(server, client, memory, heard)

    def advance(self, chunk: Chunk) -> np.ndarray:
        """Compute a chunk; return a ROW of each iteration. Shape [B, I, row, columns]."""
        self.state, table = self.program(self.state, self.columns, chunk)
        return table.numpy()

    def states(self) -> list[Leaves]:
        """Return the state of server and workers, for every column."""
        leaves = [leaf.numpy() for leaf in tf.nest.flatten(self.state)]
        if len(self.runs) == 1:
            return [leaves]
        return [[leaf[..., column] for leaf in leaves] for column in range(len(self.runs))]

    def set_states(self, states: list[Leaves]) -> None:
        """Go on from states of server and workers, one for every column."""
        columns = [leaf[0] if len(leaf) == 1 else np.stack(leaf, axis=-1) for leaf in zip(*states, strict=True)]
        self.state = tf.nest.pack_sequence_as(self.state, list(map(tf.constant, columns)))


def _row(group: Group, index: int) -> tuple[float, ...]:
    """Return all inputs of the program that differ between runs: the index of the seed, and parameters."""
    settings = group.columns[index].settings
    radio = replace(group.uplink, settings=settings).radio
    return (float(group.seed_index[index]), *group.method.parameters(settings, 1).values(), *tf.nest.flatten(radio))


def _split(places: list, size: int) -> list[list]:
    """Divide places into parts of one size; copies fill up the last."""
    filled = places + [places[-1]] * (-len(places) % size)
    return [filled[start : start + size] for start in range(0, len(filled), size)]
