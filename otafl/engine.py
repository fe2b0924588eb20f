"""Run a group: random streams in, curves out, the columns spread over the processor's cores."""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from types import ModuleType

import numpy as np
import tensorflow as tf

from otafl import program
from otafl.algorithms.hyperparameters import Hyperparameters
from otafl.draws import Draws, chunks
from otafl.group import Group
from otafl.ledger import Ledger
from otafl.problems.linear_regression import LinearRegression
from otafl.program import Chunk, Vectors
from otafl.schedule import recorded
from otafl.uplinks.analog import Radio

tf.get_logger().setLevel("ERROR")  # a group of another shape is another program, not a mistake

NARROW, WIDE = 1, 4
SMALL = 8192
"""Streams have 4 columns where a column has at most so many elements [workers x d], so that a stream stays in a core's
cache, and else 1. The width depends on nothing else, and so neither do the bits of a result."""
VARIABLES = ("time_slots", "channel_uses", "energy", "loss", "primal_residual", "dual_residual")

Progress = Callable[[int], None]
"""Is told how many iterations, summed over runs, were done since it was last told."""


def simulate(group: Group, progress: Progress = lambda done: None) -> dict[str, np.ndarray]:
    """Run all columns of a group; returns VARIABLES at the recorded iterations, each of shape [columns, recorded].

    Costs are cumulative; what lies beyond a run's end is NaN.
    """
    streams, ledger, tables = Streams(group), Ledger(group), []
    with ThreadPoolExecutor(1) as ahead, ThreadPoolExecutor(_cores()) as pool:
        upcoming = _inputs(group, ledger)
        inputs = next(upcoming)
        while inputs:
            drawing = ahead.submit(next, upcoming, None)
            tables.append(streams.advance(inputs, pool))
            progress(len(group.columns) * len(tables[-1]))
            inputs = drawing.result()
    return _curves(group, ledger, np.concatenate(tables))


def _inputs(group: Group, ledger: Ledger) -> Iterator[Chunk]:
    """The random inputs chunk by chunk, their costs entered into the ledger, until all runs are finished."""
    draws = Draws(group)
    for parts in chunks(group):
        if ledger.finished.all():
            return
        for segment in parts:
            ledger.enter(segment)
        yield draws.chunk(parts)


class Streams:
    """The compiled program with its state, in narrow streams of columns that the cores take in turn.

    Columns that agree in all that the program sees are computed once: over a digital uplink, runs that differ in SNR.
    """

    def __init__(self, group: Group) -> None:
        rows = [_row(group, index) for index in range(len(group.columns))]
        unique = list(dict.fromkeys(rows))
        self.column_of_run = np.array([unique.index(row) for row in rows])
        module, downlink = group.method.load(), group.settings.uplink.downlink
        self.advance_stream = program.compiled(module, group.method.uplink, downlink)
        width = WIDE if group.workers * group.elements <= SMALL else NARROW
        self.streams = [_Stream(group, np.array(part), module) for part in _split(unique, width)]

    def advance(self, chunk: Chunk, pool: Executor) -> np.ndarray:
        """METRICS of all iterations of a chunk. Shape [iterations, metrics, runs]."""
        tables = list(pool.map(lambda stream: stream.advance(self.advance_stream, chunk), self.streams))
        done = np.arange(chunk.record.shape[1]) < chunk.lengths.numpy()[:, None]
        return np.concatenate(tables, axis=-1)[done][..., self.column_of_run]


class _Stream:
    """Some columns: their problems, parameters and state."""

    def __init__(self, group: Group, rows: np.ndarray, module: ModuleType) -> None:
        index = rows[:, 0].astype(np.int32)
        self.problem = LinearRegression(*(tf.constant(array[..., index]) for array in group.problem))
        values = [tf.constant(value) for value in rows[:, 1:].T]
        split = len(Hyperparameters._fields)
        self.vectors = Vectors(Hyperparameters(*values[:split]), Radio(*values[split:]), tf.constant(index))
        self.state = module.init(self.problem, group.settings.uplink.downlink)

    def advance(self, advance: Callable, chunk: Chunk) -> np.ndarray:
        self.state, table = advance(self.state, self.problem, self.vectors, chunk)
        return table.numpy()


def _row(group: Group, index: int) -> tuple[float, ...]:
    """All that the program knows of a run: its seed's index and its parameters."""
    column = group.columns[index]
    radio = column.radio(group.elements) if group.method.uplink == "analog" else (math.nan,) * len(Radio._fields)
    values = (float(group.seed_index[index]), *column.hyperparameters(group.workers), *radio)
    return tuple(map(_hashable, values))


def _hashable(value: float) -> float:
    """One NaN for all, so that rows with NaN compare equal."""
    return math.nan if math.isnan(value) else value


def _split(rows: list, size: int) -> list[list]:
    """Rows in parts of one size, the last filled up with copies."""
    filled = rows + [rows[-1]] * (-len(rows) % size)
    return [filled[start : start + size] for start in range(0, len(filled), size)]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _curves(group: Group, ledger: Ledger, table: np.ndarray) -> dict[str, np.ndarray]:
    """Cumulative costs and metrics of all iterations done, as VARIABLES at the recorded ones."""
    keep = recorded(group.settings.run) - 1
    costs = ledger.cumulative(table[:, 0])
    joined = np.concatenate([costs, np.where(np.isnan(costs[:, :1]), math.nan, table[:, 1:])], axis=1)
    curves = np.full((len(keep), len(VARIABLES), len(group.columns)), math.nan)
    reached = keep[keep < len(joined)]
    curves[: len(reached)] = joined[reached]
    return {name: curves[:, index].T for index, name in enumerate(VARIABLES)}
