"""Run a group: random streams in, curves out, the columns spread over the processor's cores."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms.federated import Parameters
from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.engine import resident
from otafl.engine.group import Group
from otafl.engine.inputs import Draws, Round, chunks, rounds
from otafl.engine.ledger import Ledger
from otafl.engine.resident import METRICS, Chunk, Form, Vectors
from otafl.engine.sampled import Form as RoundForm
from otafl.engine.sampled import Inputs, Rounds
from otafl.engine.schedule import evaluated, recorded
from otafl.engine.task import cores
from otafl.uplinks.analog import Radio

tf.get_logger().setLevel("ERROR")  # a group of another shape is another program, not a mistake

for _gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(_gpu, True)

NARROW, WIDE = 1, 4
SMALL = 8192
"""Streams have 4 columns where a column has at most so many elements [workers x d], so that a stream stays in a core's
cache, and else 1, as in training of networks. The width depends on nothing else, and so neither do the bits of a
result."""
VARIABLES = (
    "time_slots",
    "channel_uses",
    "energy",
    "uplink_elements",
    "test_accuracy",
    "loss",
    "primal_residual",
    "dual_residual",
    "local_epochs",
)
"""Variables of results: what the ledger counts, METRICS, and the local work of workers."""
TABLE = (*METRICS, "local_epochs")
"""What the iterations bring, the energy of analog symbols first."""

Progress = Callable[[int, str], None]
"""Is told how many iterations, summed over runs, were done since it was last told, and how the runs stand."""


class Curves(NamedTuple):
    """The curves of a group.

    Arguments:
        values: VARIABLES at the recorded iterations, each of shape [columns, recorded]. Costs are cumulative; what lies
            beyond a run's end is NaN.
        outcomes: "completed", "diverged" or "stopped", for each column.
        interrupted: whether the runs were stopped before their end.
    """

    values: dict[str, np.ndarray]
    outcomes: np.ndarray
    interrupted: bool


def simulate(group: Group, progress: Progress = lambda done, standing: None) -> Curves:
    """Run all columns of a group to their end, or until the user interrupts."""
    record = Record(group)
    try:
        _simulate(group, record, progress)
    except KeyboardInterrupt:
        record.interrupted = True
    return record.curves()


def _simulate(group: Group, record: "Record", progress: Progress) -> None:
    streams: Any = RoundStream(group) if group.method.federated else Streams(group)
    with ThreadPoolExecutor(1) as ahead, ThreadPoolExecutor(cores()) as pool:
        upcoming = _inputs(group, record.ledger)
        inputs = next(upcoming)
        while inputs and not record.diverged.all():
            drawing = ahead.submit(next, upcoming, None)
            table = streams.advance(inputs, pool)
            record.enter(table)
            progress(len(group.columns) * len(table), record.standing)
            inputs = drawing.result()


def _inputs(group: Group, ledger: Ledger) -> Iterator[Any]:
    """The random inputs chunk by chunk, their costs entered into the ledger, until all runs are finished."""
    if group.method.federated:
        yield from _rounds(group, ledger)
        return
    draws = Draws(group)
    for parts in chunks(group):
        if ledger.finished.all():
            return
        for segment in parts:
            ledger.enter(segment)
        yield draws.chunk(parts)


def _rounds(group: Group, ledger: Ledger) -> Iterator[Round]:
    for drawn in rounds(group):
        if ledger.finished.all():
            return
        ledger.enter(drawn.segment, drawn.who)
        yield drawn


class Record:
    """What the iterations of a group have brought so far."""

    def __init__(self, group: Group) -> None:
        self.group, plan = group, group.settings.run
        self.ledger = Ledger(group)
        self.kept = np.isin(np.arange(plan.iterations), recorded(plan) - 1)
        self.read = np.isin(np.arange(plan.iterations), evaluated(plan) - 1) & group.trains
        self.tables = [np.empty((0, len(TABLE), len(group.columns)))]
        self.done = 0
        self.diverged = np.zeros(len(group.columns), bool)
        self.interrupted = False

    def enter(self, table: np.ndarray) -> None:
        """Add a TABLE of the next iterations, of shape [iterations, metrics, runs]."""
        now = slice(self.done, self.done + len(table))
        table[~self.read[now], METRICS.index("test_accuracy")] = math.nan
        self.diverged |= ~np.isfinite(table[self.kept[now], METRICS.index("loss")]).all(axis=0)
        self.tables.append(table)
        self.done += len(table)

    @property
    def standing(self) -> str:
        """How the run stands, where there is one."""
        if not self.group.trains:
            return ""
        table = np.concatenate(self.tables)
        accuracy = table[:, METRICS.index("test_accuracy"), 0]
        read = accuracy[~np.isnan(accuracy)]
        slots = self.ledger.cumulative(table[:, 0])[-1, 0]
        words = [f"round {self.done}"]
        words += [f"accuracy {read[-1]:.3f}"] if len(read) else []
        words += [f"{slots[0]:,.0f} slots"] if len(slots) == 1 and np.isfinite(slots[0]) else []
        return ", ".join(words)

    def curves(self) -> Curves:
        """Costs and metrics at the recorded iterations, NaN after a run's end."""
        table, kept = np.concatenate(self.tables), self.kept[: self.done]
        joined = np.concatenate([self.ledger.cumulative(table[:, 0]), table[:, 1:]], axis=1)[kept]
        lost = ~np.isfinite(joined[:, VARIABLES.index("loss")])
        ended = np.isnan(joined[:, 0]) | (np.cumsum(lost, axis=0) > lost)
        curves = np.full((self.kept.sum(), len(VARIABLES), len(self.group.columns)), math.nan)
        curves[: len(joined)] = np.where(ended[:, None], math.nan, joined)
        values = {name: curves[:, index].T for index, name in enumerate(VARIABLES)}
        diverged = (lost & ~np.isnan(joined[:, 0])).any(axis=0)
        exhausted = np.isnan(joined[:, 0]).any(axis=0) | (self.done >= self.group.settings.run.iterations)
        return Curves(
            values,
            np.where(diverged, "diverged", np.where(exhausted, "completed", "stopped")),
            self.interrupted,
        )


class Streams:
    """The compiled program with its state, in narrow streams of columns that the cores take in turn.

    Columns that agree in all that the program sees are computed once: over a digital uplink, runs that differ in SNR.
    """

    def __init__(self, group: Group) -> None:
        rows = [_row(group, index) for index in range(len(group.columns))]
        unique = list(dict.fromkeys(rows))
        self.column_of_run = np.array([unique.index(row) for row in rows])
        task, downlink = group.task, group.settings.uplink.downlink
        self.local_epochs = task.local_epochs
        form = Form(group.method.load(), group.uplink, downlink, task.learner, group.flips, task.whole)
        self.advance_stream = resident.compiled(form)
        width = WIDE if group.workers * group.elements <= SMALL and not group.trains else NARROW
        self.streams = [_Stream(group, np.array(part), form) for part in _split(unique, width)]

    def advance(self, chunk: Chunk, pool: Executor) -> np.ndarray:
        """The TABLE of all iterations of a chunk. Shape [iterations, metrics, runs]."""
        tables = list(pool.map(lambda stream: stream.advance(self.advance_stream, chunk), self.streams))
        done = np.arange(chunk.record.shape[1]) < chunk.lengths.numpy()[:, None]
        table = np.concatenate(tables, axis=-1)[done][..., self.column_of_run].astype(np.float64)
        return np.concatenate([table, np.full((len(table), 1, table.shape[2]), self.local_epochs)], axis=1)


class _Stream:
    """Some columns: their problems, parameters and state."""

    def __init__(self, group: Group, rows: np.ndarray, form: Form) -> None:
        index = rows[:, 0].astype(np.int32)
        self.problem = group.task.problem(index)
        values = [tf.constant(value, group.task.dtype) for value in rows[:, 1:].T]
        split = len(Hyperparameters._fields)
        self.vectors = Vectors(Hyperparameters(*values[:split]), Radio(*values[split:]), tf.constant(index))
        self.state = form.method.init(group.task.start(self.problem), group.workers, form.downlink)

    def advance(self, advance: Callable, chunk: Chunk) -> np.ndarray:
        self.state, table = advance(self.state, self.problem, self.vectors, chunk)
        return table.numpy()


class RoundStream:
    """A run of a federated method; runs that differ in what an exact uplink costs are one and the same."""

    def __init__(self, group: Group) -> None:
        self.group, self.column, settings = group, group.columns[0], group.settings
        task, method = group.task, group.method
        form = RoundForm(method.load(), task.options, task.kind, task.learner, group.uplink, method.vectors, task.whole)
        self.rounds = Rounds(form, task.shared(), group.workers, tf.constant([settings.algorithm.rho], tf.float32))

    def advance(self, drawn: Round, pool: Executor) -> np.ndarray:
        """The TABLE of one round. Shape [1, metrics, runs]."""
        workers, evaluate = drawn.who.workers, drawn.evaluate
        energy, accuracy, loss, epochs = self.rounds.advance(self.inputs(drawn), workers, evaluate)
        row = [energy, accuracy, loss, math.nan, math.nan, epochs]
        return np.repeat(np.array(row)[None, :, None], len(self.group.columns), axis=2)

    def inputs(self, drawn: Round) -> Inputs:
        """What the program is given for a round."""
        task, who, iteration = self.group.task, drawn.who, drawn.segment.start
        given = self.column.parameters(iteration + 1)
        parameters = Parameters(*(tf.constant([given[name]], tf.float32) for name in Parameters._fields))
        return Inputs(
            task.samples(who.workers, who.epochs, iteration),
            parameters,
            _along(task.weights[who.workers]),
            _along(task.steps(who.workers, who.epochs)),
            tf.fill([1, 1, 1], float(who.uploads)),
            tf.constant(drawn.gain, tf.float32),
            tf.constant(drawn.noise),
            Radio(*(tf.constant([value], tf.float32) for value in self.column.radio(self.group.elements))),
        )


def _along(values: np.ndarray) -> Any:
    """Numbers of participants as a tensor [participants, 1, 1]."""
    return tf.constant(np.asarray(values, np.float32)[:, None, None])


def _row(group: Group, index: int) -> tuple[float, ...]:
    """All that the program knows of a run: its seed's index and its parameters."""
    column = group.columns[index]
    radio = column.radio(group.elements) if group.uplink == "analog" else (math.nan,) * len(Radio._fields)
    values = (float(group.seed_index[index]), *column.hyperparameters(group.workers), *radio)
    return tuple(map(_hashable, values))


def _hashable(value: float) -> float:
    """One NaN for all, so that rows with NaN compare equal."""
    return math.nan if math.isnan(value) else value


def _split(rows: list, size: int) -> list[list]:
    """Rows in parts of one size, the last filled up with copies."""
    filled = rows + [rows[-1]] * (-len(rows) % size)
    return [filled[start : start + size] for start in range(0, len(filled), size)]
