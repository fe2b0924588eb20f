"""Run a group: random streams in, curves out, the columns spread over the processor's cores."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
import tensorflow as tf

from otafl.engine import program_cache, release, resident, sampled
from otafl.engine.curves import Curves, Record
from otafl.engine.group import Group
from otafl.engine.inputs import Chunks, Round, chunks, rounds
from otafl.engine.iteration import ROW, State
from otafl.engine.ledger import Ledger
from otafl.engine.resident import Chunk, Columns
from otafl.engine.sampled import RoundInputs, Rounds
from otafl.problems.training import cores
from otafl.training import learner
from otafl.uplinks.uplink import Inputs

tf.get_logger().setLevel("ERROR")  # a group of another shape is another program, not a mistake

program_cache.prepare()
for _gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(_gpu, True)

NARROW, WIDE = 1, 4
SMALL = 8192
"""Streams have 4 columns where a column has at most so many elements [workers x d], so that a stream stays in a core's
cache, and else 1, as in training of networks. The width depends on nothing else, and so neither do the bits of a
result."""

Progress = Callable[[int, str], None]
"""Is told how many iterations, summed over runs, were done since it was last told, and how the runs stand."""
Seeds = tuple[int, ...]
"""Which of a group's seeds the columns of a stream draw from."""
Measured = dict[str, np.ndarray]
"""What iterations have measured, by the names of variables, each of shape [iterations, runs]."""


def simulate(group: Group, progress: Progress = lambda done, standing: None) -> Curves:
    """Run all columns of a group to their end, or until the user interrupts."""
    record = Record(group)
    try:
        with release.in_use(_forget):
            _simulate(group, record, progress)
    except KeyboardInterrupt:
        record.interrupted = True
    program_cache.keep()
    return record.curves()


def _forget() -> None:
    """Drop what Python holds of compiled programs."""
    resident.compiled.cache_clear()
    sampled.compiled.cache_clear()
    learner.compiled.cache_clear()


def _simulate(group: Group, record: Record, progress: Progress) -> None:
    executor: Any = Resident(group) if group.resident else Sampled(group)
    with ThreadPoolExecutor(1) as ahead, ThreadPoolExecutor(cores()) as pool:
        upcoming = executor.inputs(record.ledger)
        inputs = next(upcoming)
        while inputs and not record.diverged.all():
            drawing = ahead.submit(next, upcoming, None)
            part = executor.advance(inputs, pool)
            record.enter(part)
            progress(len(group.columns) * len(part["loss"]), record.standing)
            inputs = drawing.result()


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

    def inputs(self, ledger: Ledger) -> Iterator[dict[Seeds, Chunk]]:
        """The inputs chunk by chunk, for the seeds of each stream, until all runs are finished.

        Their costs are entered into the ledger.
        """
        made, seeds = Chunks(self.group), {stream.seeds for stream in self.streams}
        for parts in chunks(self.group):
            if ledger.finished.all():
                return
            who = [made.draws.who(part) for part in parts]
            for part, some in zip(parts, who, strict=True):
                for one in some:
                    ledger.enter(part.block, one, part.length // len(some))
            chunk = made.chunk(parts, who)
            yield {some: chunk.of(some) for some in seeds}

    def advance(self, drawn: dict[Seeds, Chunk], pool: Executor) -> Measured:
        """Do all iterations of a chunk."""
        chunk = next(iter(drawn.values()))
        tables = list(pool.map(lambda stream: stream.advance(drawn[stream.seeds]), self.streams))
        done = np.arange(chunk.record.shape[1]) < chunk.lengths.numpy()[:, None]
        table = np.concatenate(tables, axis=-1)[done][..., self.column_of_run].astype(np.float64)
        return _named(self.group, ROW, np.moveaxis(table, 1, 0))


class _Stream:
    """Some columns: their problems, parameters and state."""

    def __init__(self, group: Group, where: list[int], program: Callable) -> None:
        columns, dtype = [group.columns[at] for at in where], group.task.dtype
        self.seeds: Seeds = tuple(group.seed_index[where].tolist())
        shared, own = group.task.shared(group.seed_index[where]), group.task.own(np.arange(group.workers))
        radios = [group.uplink.radio(column.settings, group.elements) for column in columns]
        radio = tf.nest.map_structure(lambda *values: tf.constant(values, dtype), *radios)
        self.columns = Columns(shared, own, group.parameters(where), radio)
        self.program = program
        server, client = group.method.init(shared.start, group.options, self.columns.parameters)
        client = tf.nest.map_structure(lambda leaf: tf.repeat(leaf, group.workers, axis=0), client)
        receivers = group.uplink.downlink_noise_shape[0] or 1
        self.state = State(server, client, tf.repeat(server.model, receivers, axis=0))

    def advance(self, chunk: Chunk) -> np.ndarray:
        """A ROW of each iteration. Shape [B, I, row, columns]."""
        self.state, table = self.program(self.state, self.columns, chunk)
        return table.numpy()


class Sampled:
    """A run with workers' states on the host; runs that differ in what an exact uplink costs are one and the same."""

    def __init__(self, group: Group) -> None:
        self.group = group
        shared = group.task.shared(np.array([0]))
        self.rounds = Rounds(group.form, shared, group.workers, group.parameters([0]))

    def inputs(self, ledger: Ledger) -> Iterator[Round]:
        """The random inputs round by round, their costs entered into the ledger, until all runs are finished."""
        for drawn in rounds(self.group):
            if ledger.finished.all():
                return
            ledger.enter(drawn.segment.block, drawn.who)
            yield drawn

    def advance(self, drawn: Round, pool: Executor) -> Measured:
        """Do one round."""
        row = self.rounds.advance(self.round_inputs(drawn), drawn.who.workers, drawn.evaluate)
        return _named(self.group, ROW, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

    def round_inputs(self, drawn: Round) -> RoundInputs:
        """What the program is given for a round."""
        task, (workers, epochs, uploads) = self.group.task, drawn.who
        channel = drawn.channel.each(tf.constant)
        radio = self.group.uplink.radio(self.group.settings, self.group.elements)
        radio = tf.nest.map_structure(lambda value: tf.constant([value], task.dtype), radio)
        return RoundInputs(
            own=task.own(workers),
            iteration=tf.constant(np.int32(drawn.segment.start)),
            epochs=tf.constant(epochs) if self.group.in_epochs else None,
            parameters=self.group.parameters([0], drawn.segment.start + 1),
            weight=_along(task.weights[workers], task.dtype),
            steps=_along(task.steps(workers, epochs), task.dtype),
            uploads=tf.fill([1, 1, 1], task.dtype(uploads)),
            changed=tf.constant(drawn.changed[:, None, None]),
            link=Inputs(channel, tf.constant(drawn.noise), tf.zeros([0, 0, 1], task.dtype), radio),
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
    radio = group.uplink.radio(settings, group.elements)
    return (float(group.seed_index[index]), *group.method.parameters(settings, 1).values(), *radio)


def _split(places: list, size: int) -> list[list]:
    """Places in parts of one size, the last filled up with copies."""
    filled = places + [places[-1]] * (-len(places) % size)
    return [filled[start : start + size] for start in range(0, len(filled), size)]
