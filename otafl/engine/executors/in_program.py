"""Executor with all workers in a program, which computes runs side by side through whole coherence blocks.

Every column is a run. Numbers that differ between columns are vectors; all else shapes the program. It is compiled as a
whole, or where a processor trains networks, piece by piece, so that its cores train workers at the same time.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import tensorflow as tf

from otafl.engine import watch
from otafl.engine.checkpoint import Leaves, Position
from otafl.engine.draws import Draws
from otafl.engine.executors.executor import Executor, Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk, Drawn, chunk_of, chunks
from otafl.engine.iteration import ROW, Columns, Fields, ProgramSpec, State, iterate, prepare, problem_of
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import Tensor

NARROW, WIDE = 1, 4
SMALL = 8192
"""Largest number of elements [workers x d] of a column for which a stream has 4 columns, so that it stays in a core's
cache. Larger columns, and networks, have a stream each. Nothing else decides it, or the bits of a result."""

Seeds = tuple[int, ...]
"""Indices of the group's seeds from which the columns of a stream draw."""


@compilation.programs
def compiled(form: ProgramSpec) -> Callable:
    """Return the compiled program of a specification, a function ``advance(state, columns, chunk)``.

    It returns the state after the chunk and the metrics of each iteration, [B, I, metrics, runs]: ROW, those of
    ``form.metrics``, and where workers train their epochs. The test accuracy is 0 where ``evaluate`` does not ask for
    it; loss, residuals, penalty and epochs are 0 where ``record`` does not.
    """

    def iteration(state: State, columns: Columns, draw: RoundDraw, prepared: Fields) -> tuple[State, Tensor]:
        observe = watch.tap(form, columns)
        after, measured, epochs, metrics = iterate(form, state, columns, draw, prepared, observe)
        accuracy = tf.cond(
            draw.evaluate,
            lambda: problem_of(form, columns, draw).test_accuracy(after.server.model),
            lambda: tf.zeros_like(measured[0]),
        )
        return after, tf.concat([measured, accuracy[None], *metrics, *([epochs] if form.learner else [])], axis=0)

    @tf.function(jit_compile=form.whole, autograph=False)
    def advance(state: State, columns: Columns, chunk: Chunk) -> tuple[State, Tensor]:
        most, longest = chunk.draws.record.shape
        model = state.heard[0]
        workers = chunk.draws.weight.shape[0] if form.learner else 0
        shape = [len(ROW) + len(form.metrics) + workers, model.shape[-1]]

        def block(b: Tensor, state: State, rows: tf.TensorArray) -> tuple:
            draws = chunk.draws.of_block(b)
            prepared = prepare(form, columns, draws.at(b, 0))

            def step(i: Tensor, state: State, rows: tf.TensorArray) -> tuple:
                state, row = iteration(state, columns, draws.at(b, i), prepared)
                return i + 1, state, rows.write(b * longest + i, row)

            return b + 1, *tf.while_loop(lambda i, *_: i < chunk.lengths[b], step, (tf.constant(0), state, rows))[1:]

        rows = tf.TensorArray(model.dtype, most * longest, element_shape=shape)
        _, state, rows = tf.while_loop(lambda b, *_: b < chunk.blocks, block, (tf.constant(0), state, rows))
        return state, tf.reshape(rows.stack(), [most, longest, *shape])

    return advance


class Resident(Executor):
    """Executor with all workers in a program, for streams of a few runs; runs with equal inputs are computed once."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.program = compiled(group.form)
        width = WIDE if group.workers * group.elements <= SMALL and not group.trains else NARROW
        rows = [_row(group, index) for index in range(len(group.columns))]
        unique = sorted(dict.fromkeys(rows), key=lambda row: row[0] // width)  # streams then have their seeds in common
        self.column_of_run = np.array([unique.index(row) for row in rows])
        first = [rows.index(row) for row in unique]
        filled = first + first[-1:] * (-len(first) % width)  # copies fill up the last stream
        parts = [filled[start : start + width] for start in range(0, len(filled), width)]
        self.streams = [_Stream(group, part, self.program) for part in parts]

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        draws = Draws(self.group, begin)
        chosen: dict[Seeds, Chunk | None] = dict.fromkeys(stream.seeds for stream in self.streams)
        channels = None
        for segments in chunks(self.group, draws.start):
            if draws.ledger.finished.all():
                return
            done = list(map(draws.done, segments))
            chunk = chunk_of(draws, done)
            after = draws.position(segments[-1].start + segments[-1].length)
            same = chunk.draws.channel is channels
            chosen = {some: chunk.of(some, last if same else None) for some, last in chosen.items()}
            channels = chunk.draws.channel
            costs, who = [part.costs for part in done], [participants for part in done for participants in part.who]
            yield Drawn(chosen, np.concatenate(costs), after, who, draws.ledger.clock, draws.truncation(done))

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
        leaves = [leaf.numpy() for leaf in tf.nest.flatten(self.state)]
        if len(self.runs) == 1:
            return [leaves]
        return [[leaf[..., column] for leaf in leaves] for column in range(len(self.runs))]

    def set_states(self, states: list[Leaves]) -> None:
        columns = [leaf[0] if len(leaf) == 1 else np.stack(leaf, axis=-1) for leaf in zip(*states, strict=True)]
        self.state = tf.nest.pack_sequence_as(self.state, list(map(tf.constant, columns)))


def _row(group: Group, index: int) -> tuple[float, ...]:
    """Return all inputs of the program that differ between runs: the index of the seed, and parameters."""
    settings = group.columns[index].settings
    radio = replace(group.uplink, settings=settings).radio
    return (float(group.seed_index[index]), *group.method.parameters(settings, 1).values(), *tf.nest.flatten(radio))
