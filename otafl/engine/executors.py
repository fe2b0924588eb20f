"""The executors of a group: all workers in a program, or their rows on the host.

Each gives the inputs of iterations, does these iterations, and hands over what server and workers keep.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
import tensorflow as tf

from otafl.engine import memory, parts, resident, sampled
from otafl.engine.checkpoint import Leaves
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.inputs import Chunks, Drawn, Round, chunks, rounds
from otafl.engine.iteration import ROW, State
from otafl.engine.position import Position
from otafl.engine.resident import Chunk, Columns
from otafl.engine.sampled import RoundInputs
from otafl.uplinks.link import Inputs

NARROW, WIDE = 1, 4
SMALL = 8192
"""Streams have 4 columns where a column has at most so many elements [workers x d], so that a stream stays in a core's
cache, and else 1, as in training of networks. The width depends on nothing else, and so neither do the bits of a
result."""

Seeds = tuple[int, ...]
"""Which of a group's seeds the columns of a stream draw from."""
Measured = dict[str, np.ndarray]
"""What iterations have measured, by the names of variables, each of shape [iterations, runs]."""


def scatter(executor: Any) -> None:
    """Let every run begin with models and duals of its workers' own, where its settings ask for that."""
    group = executor.group
    if group.settings.algorithm.start == "random":
        executor.set_states([group.scattered(run, state) for run, state in enumerate(executor.states())])


class Resident:
    """All workers in the program, which takes narrow streams of columns that the cores work on in turn.

    Columns that agree in all that the program sees are computed once: over a digital uplink, runs that differ in SNR.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.program = resident.compiled(group.form)
        width = WIDE if group.workers * group.elements <= SMALL and not group.trains else NARROW
        rows = [_row(group, index) for index in range(len(group.columns))]
        unique = sorted(dict.fromkeys(rows), key=lambda row: row[0] // width)  # streams then have their seeds in common
        self.column_of_run = np.array([unique.index(row) for row in rows])
        first = [rows.index(row) for row in unique]
        self.streams = [_Stream(group, part, self.program) for part in _split(first, width)]

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        """The inputs chunk by chunk, for the seeds of each stream, from a position on until all runs are finished."""
        draws = Draws(self.group, begin)
        made, seeds = Chunks(self.group, draws), {stream.seeds for stream in self.streams}
        for segments in chunks(self.group, draws.start):
            if draws.ledger.finished.all():
                return
            parts, who, costs = zip(*map(draws.done, segments), strict=True)
            chunk = made.chunk(list(parts), list(who))
            after = draws.position(segments[-1].start + segments[-1].length)
            yield Drawn({some: chunk.of(some) for some in seeds}, np.concatenate(costs), after)

    def advance(self, drawn: dict[Seeds, Chunk], pool: Executor) -> Measured:
        """Do all iterations of a chunk."""
        chunk = next(iter(drawn.values()))
        tables = list(pool.map(lambda stream: stream.advance(drawn[stream.seeds]), self.streams))
        done = np.arange(chunk.record.shape[1]) < chunk.lengths.numpy()[:, None]
        table = np.concatenate(tables, axis=-1)[done][..., self.column_of_run].astype(np.float64)
        return _named(self.group, ROW, np.moveaxis(table, 1, 0))

    def states(self) -> list[Leaves]:
        """What server and workers of every run keep."""
        columns = [column for stream in self.streams for column in stream.states()]
        return [columns[place] for place in self.column_of_run]

    def set_states(self, states: list[Leaves]) -> None:
        """Let every run go on from what server and workers of an earlier one have kept."""
        for stream in self.streams:
            stream.set_states([states[run] for run in stream.runs])


class _Stream:
    """Some columns: their problems, parameters and state."""

    def __init__(self, group: Group, where: list[int], program: Callable) -> None:
        columns, dtype = [group.columns[at] for at in where], group.task.dtype
        self.runs = where
        self.seeds: Seeds = tuple(group.seed_index[where].tolist())
        shared, own = group.task.shared(group.seed_index[where]), group.task.own(np.arange(group.workers))
        radios = [group.uplink.radio(column.settings, group.uplink.elements) for column in columns]
        radio = tf.nest.map_structure(lambda *values: tf.constant(values, dtype), *radios)
        self.columns = Columns(shared, own, group.parameters(where), radio)
        self.program = program
        server, client = group.method.init(shared.start, group.options, self.columns.parameters)
        memory = group.form.memory(server.model)
        client, memory = tf.nest.map_structure(lambda leaf: tf.repeat(leaf, group.workers, axis=0), (client, memory))
        vectors, receivers, _ = group.uplink.downlink_noise_shape
        kept = (getattr(server, name) for name in group.method.broadcasts[: vectors or 1])
        heard = tuple(tf.repeat(one, receivers or 1, axis=0) for one in kept)
        self.state = State(server, client, memory, heard)

    def advance(self, chunk: Chunk) -> np.ndarray:
        """A ROW of each iteration. Shape [B, I, row, columns]."""
        self.state, table = self.program(self.state, self.columns, chunk)
        return table.numpy()

    def states(self) -> list[Leaves]:
        """What server and workers keep, of every column."""
        leaves = [leaf.numpy() for leaf in tf.nest.flatten(self.state)]
        if len(self.runs) == 1:
            return [leaves]
        return [[leaf[..., column] for leaf in leaves] for column in range(len(self.runs))]

    def set_states(self, states: list[Leaves]) -> None:
        """Let every column go on from such a state."""
        columns = [leaf[0] if len(leaf) == 1 else np.stack(leaf, axis=-1) for leaf in zip(*states, strict=True)]
        self.state = tf.nest.pack_sequence_as(self.state, list(map(tf.constant, columns)))


class Sampled:
    """A run with workers' states on the host; runs that differ in what an exact uplink costs are one and the same."""

    kind = sampled.Rounds

    def __init__(self, group: Group) -> None:
        self.group = group
        shared, parameters = group.task.shared(np.array([0])), group.parameters([0])
        self.rounds: Any = self.kind(group.form, shared, group.workers, parameters, memory.in_file(group))

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        """The random inputs round by round, from a position on until all runs are finished."""
        return rounds(Draws(self.group, begin))

    def advance(self, drawn: Round, pool: Executor) -> Measured:
        """Do one round."""
        row = self.row(drawn)
        return _named(self.group, ROW, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

    def row(self, drawn: Round) -> np.ndarray:
        """Do one round; returns a ROW."""
        return self.rounds.advance(self.round_inputs(drawn), drawn.who.workers, drawn.evaluate)

    def states(self) -> list[Leaves]:
        """What server and workers of every run keep; all runs share it."""
        return [self.rounds.state()] * len(self.group.columns)

    def set_states(self, states: list[Leaves]) -> None:
        """Let the runs go on from what server and workers of an earlier one have kept."""
        self.rounds.set_state(states[0])

    def round_inputs(self, drawn: Round) -> RoundInputs:
        """What the program is given for a round."""
        task, (workers, epochs, uploads) = self.group.task, drawn.who
        channel = drawn.channel.each(tf.constant)
        changed = drawn.changed[:, None, None] if self.group.partial else drawn.changed[0]
        radio = self.group.uplink.radio(self.group.settings, self.group.uplink.elements)
        radio = tf.nest.map_structure(lambda value: tf.constant([value], task.dtype), radio)
        return RoundInputs(
            own=task.own(workers),
            iteration=tf.constant(np.int32(drawn.segment.start)),
            epochs=tf.constant(epochs) if self.group.in_epochs else None,
            parameters=self.group.parameters([0], drawn.segment.start + 1),
            weight=_along(task.weights[workers], task.dtype),
            steps=_along(task.steps(workers, epochs), task.dtype),
            uploads=tf.fill([1, 1, 1], task.dtype(uploads)),
            changed=tf.constant(changed),
            link=Inputs(channel, tf.constant(drawn.noise), tf.zeros([0, 0, 0, 1], task.dtype), radio),
        )


class InParts(Sampled):
    """The same where the participants of a round are too many for one program."""

    kind = parts.Rounds

    def row(self, drawn: Round) -> np.ndarray:
        """Do one round part by part; returns a ROW."""
        whole = self.round_inputs(drawn.at_server)
        return self.rounds.advance_in_parts(
            whole, lambda part: self.round_inputs(drawn.of(part)), drawn.who.workers, drawn.evaluate
        )


def _named(group: Group, names: tuple[str, ...], table: np.ndarray) -> Measured:
    """Rows of a table by their names; local epochs that are known beforehand take the place of those measured."""
    named = dict(zip(names, table, strict=True))
    known = group.task.local_epochs
    return named if math.isnan(known) else named | {"local_epochs": np.full_like(named["loss"], known)}


def _along(values: np.ndarray, dtype: Any) -> Any:
    """Numbers of participants as a tensor [participants, 1, 1]."""
    return tf.constant(np.asarray(values, dtype)[:, None, None])


def _row(group: Group, index: int) -> tuple[float, ...]:
    """All that the program knows of a run: its seed's index and its parameters."""
    settings = group.columns[index].settings
    radio = group.uplink.radio(settings, group.uplink.elements)
    return (float(group.seed_index[index]), *group.method.parameters(settings, 1).values(), *tf.nest.flatten(radio))


def _split(places: list, size: int) -> list[list]:
    """Places in parts of one size, the last filled up with copies."""
    filled = places + [places[-1]] * (-len(places) % size)
    return [filled[start : start + size] for start in range(0, len(filled), size)]
