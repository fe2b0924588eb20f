"""Executor of single rounds: programs have participants alone; all workers' states lie in rows on the host."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf

from otafl.engine import run_size, watch
from otafl.engine.checkpoint import Leaves, Position
from otafl.engine.draws import Draws
from otafl.engine.executors.executor import Executor, Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Assigned, Drawn, in_tensors, rounds
from otafl.engine.iteration import Columns, Fields, ProgramSpec, State, iterate, prepare, problem_of
from otafl.engine.worker_states import WorkerStates
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import GlobalModel, Tensor


@compilation.programs
def compiled(form: ProgramSpec) -> tuple[Callable, Callable]:
    """Return the compiled programs of a round of one run, and of the test accuracy of its global model."""

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Fields, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        client, memory = kept
        state = State(server, client, memory, (server.model,))
        observe = watch.tap(form, columns)
        after, measured, epochs, metrics = iterate(form, state, columns, draw, prepare(form, columns, draw), observe)
        return after.server, (after.client, after.memory), measured, (*metrics, epochs)

    @tf.function(jit_compile=form.whole, autograph=False)
    def accuracy(model: GlobalModel, columns: Columns, draw: RoundDraw) -> Tensor:
        return problem_of(form, columns, draw).test_accuracy(model)

    return step, accuracy


class Sampled(Executor):
    """Executor of one run, whose computation all runs share, of participants alone; workers' states are on the host."""

    def __init__(self, group: Group) -> None:
        self.group, self.form, self.shared = group, group.form, group.task.shared(np.array([0]))
        self.server, client = self.form.method.init(self.shared.start, self.form.options, group.parameters([0]))
        self.first = (client, self.form.memory(self.shared.start))
        first = [leaf.numpy() for leaf in tf.nest.flatten(self.first)]
        self.rows = WorkerStates(first, group.workers, run_size.in_file(group))
        self.everyone = group.task.own(np.arange(group.workers)) if self.form.metrics else None

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        return rounds(Draws(self.group, begin))

    def advance(self, inputs: Assigned, pool: ThreadPoolExecutor) -> Measured:
        row = self.row(*inputs)
        return named(self.group, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

    def row(self, workers: np.ndarray, draw: RoundDraw) -> np.ndarray:
        """Compute one round; return ``iteration.ROW``, the metrics asked for, and each participant's epochs."""
        return self.round(*self.given(workers, draw), workers)

    def round(self, columns: Columns, draw: RoundDraw, workers: np.ndarray) -> np.ndarray:
        """Compute one round of tensors, and keep the new states; return the values of ``row``."""
        step = compiled(self.form)[0]
        self.server, after, measured, metrics = step(self.server, self.worker_states(workers), columns, draw)
        self.write(workers, after)
        row = np.append(measured.numpy()[:, 0], self.accuracy(columns, draw))
        return np.concatenate([row, *(part.numpy()[:, 0] for part in metrics)])

    def accuracy(self, columns: Columns, draw: RoundDraw) -> float:
        """Return the test accuracy of the global model, from 0 to 1; NaN where the round has no reading."""
        return compiled(self.form)[1](self.server.model, columns, draw).numpy()[0] if draw.evaluate else np.nan

    def worker_states(self, workers: np.ndarray) -> tuple:
        """Return the states of some workers as tensors: that of the method, and their memory for uploads."""
        return tf.nest.pack_sequence_as(self.first, [tf.constant(rows[workers]) for rows in self.rows.arrays])

    def write(self, workers: np.ndarray, kept: tuple) -> None:
        """Write the states of some workers, in the form of ``worker_states``, to the host."""
        self.rows.write(workers, [leaf.numpy() for leaf in tf.nest.flatten(kept)])

    def states(self) -> list[Leaves]:
        leaves = [*(leaf.numpy() for leaf in tf.nest.flatten(self.server)), *self.rows.arrays]
        return [leaves] * len(self.group.columns)

    def set_states(self, states: list[Leaves]) -> None:
        count = len(tf.nest.flatten(self.server))
        self.server = tf.nest.pack_sequence_as(self.server, list(map(tf.constant, states[0][:count])))
        self.rows.write(slice(None), states[0][count:])

    def given(self, workers: np.ndarray, draw: RoundDraw) -> tuple[Columns, RoundDraw]:
        """Return the data, parameters and draw of a round for some workers, as tensors with one run."""
        group = self.group
        radio = tf.nest.map_structure(lambda value: tf.constant([value], group.task.dtype), group.uplink.radio)
        parameters = group.parameters([0], int(draw.number) + 1)
        return Columns(self.shared, group.task.own(workers), parameters, radio, self.everyone), in_tensors(draw)
