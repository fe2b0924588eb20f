"""Executor of single rounds: workers' states lie in rows on the host, and a program has the participants alone.

The rows of idle workers are not touched, and take no memory of the program.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
import tensorflow as tf

from otafl.engine import run_size, watch
from otafl.engine.checkpoint import Leaves
from otafl.engine.draws import Draws
from otafl.engine.executors.common import Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Assigned, Drawn, in_tensors, rounds
from otafl.engine.iteration import Columns, ProgramSpec, State, iterate, prepare, problem_of
from otafl.engine.stream_position import Position
from otafl.engine.worker_states import WorkerStates
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import Tensor


@compilation.kept
def compiled(form: ProgramSpec) -> tuple[Callable, Callable]:
    """Return the compiled programs of a specification, for one round of one run.

    Returns:
        Two functions. The first, ``step(server, kept, columns, draw)``, computes a round from the states of server and
        workers, ``Columns`` and a ``RoundDraw``; it returns both states, the metrics (energy [J], relative squared
        error of the received sum, largest power of a worker [W], loss, primal and dual residual, penalty, epochs),
        [metrics, 1], and a tuple of those of ``form.metrics`` and of the epochs of each worker. The second,
        ``accuracy(model, columns, draw)``, returns the test accuracy of a global model, from 0 to 1, [1].
    """

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Any, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        client, memory = kept
        state = State(server, client, memory, (server.model,))
        observe = watch.tap(form, columns)
        after, measured, epochs, own = iterate(form, state, columns, draw, prepare(form, columns, draw), observe)
        return after.server, (after.client, after.memory), measured, (*own, epochs)

    @tf.function(jit_compile=form.whole, autograph=False)
    def accuracy(model: Tensor, columns: Columns, draw: RoundDraw) -> Tensor:
        return problem_of(form, columns, draw).test_accuracy(model)

    return step, accuracy


class Sampled:
    """Executor of one run, which computes the participants of a round alone, and keeps all workers' states on the host.

    The server's state lies in tensors, workers' states in NumPy arrays. All runs of the group share the computation, as
    they differ in costs of an exact uplink alone.
    """

    def __init__(self, group: Group) -> None:
        self.group, self.form, self.shared = group, group.form, group.task.shared(np.array([0]))
        self.server, client = self.form.method.init(self.shared.start, self.form.options, group.parameters([0]))
        self.first = (client, self.form.memory(self.shared.start))
        first = [leaf.numpy() for leaf in tf.nest.flatten(self.first)]
        self.rows = WorkerStates(first, group.workers, run_size.in_file(group))
        self.everyone = group.task.own(np.arange(group.workers)) if self.form.metrics else None

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        return rounds(Draws(self.group, begin))

    def advance(self, drawn: Assigned, pool: Executor) -> Measured:
        workers, draw = drawn
        row = self.row(workers, draw)
        return named(self.group, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

    def row(self, workers: np.ndarray, draw: RoundDraw) -> np.ndarray:
        """Make tensors and compute one round.

        Returns:
            Metrics of the round (energy [J], relative squared error of the received sum, largest power of a worker [W],
            loss, primal and dual residual, penalty, epochs, and test accuracy, NaN without a reading), those of
            ``form.metrics``, and the epochs of each participant. Shape [metrics + active].
        """
        return self.round(*self.given(workers, draw), workers)

    def round(self, columns: Columns, draw: RoundDraw, workers: np.ndarray) -> np.ndarray:
        """Compute one round, and keep the new states of server and participants.

        Returns:
            Metrics of the round (energy [J], relative squared error of the received sum, largest power of a worker [W],
            loss, primal and dual residual, penalty, epochs, and test accuracy, NaN without a reading), those of
            ``form.metrics``, and the epochs of each participant. Shape [metrics + active].
        """
        step = compiled(self.form)[0]
        self.server, after, measured, own = step(self.server, self.kept(workers), columns, draw)
        self.keep(workers, after)
        row = np.append(measured.numpy()[:, 0], self.accuracy(columns, draw))
        return np.concatenate([row, *(part.numpy()[:, 0] for part in own)])

    def accuracy(self, columns: Columns, draw: RoundDraw) -> np.float32 | float:
        """Return the test accuracy of the global model, from 0 to 1; NaN where the round has no reading."""
        return compiled(self.form)[1](self.server.model, columns, draw).numpy()[0] if draw.evaluate else np.nan

    def kept(self, workers: np.ndarray) -> tuple:
        """Return the states of some workers as tensors, for the method and for uploads.

        Returns:
            Two values: their state in the method, a named tuple of tensors such as models and duals, [active, ...]
            each; and their memory for uploads, a tuple with a tensor of what compression has left out for each vector,
            [active, d, 1] each, for d elements of a model.
        """
        return tf.nest.pack_sequence_as(self.first, [tf.constant(rows[workers]) for rows in self.rows.arrays])

    def keep(self, workers: np.ndarray, kept: tuple) -> None:
        """Write the states of some workers to the host."""
        self.rows.write(workers, [leaf.numpy() for leaf in tf.nest.flatten(kept)])

    def states(self) -> list[Leaves]:
        leaves = [*(leaf.numpy() for leaf in tf.nest.flatten(self.server)), *self.rows.arrays]
        return [leaves] * len(self.group.columns)

    def set_states(self, states: list[Leaves]) -> None:
        count = len(tf.nest.flatten(self.server))
        self.server = tf.nest.pack_sequence_as(self.server, list(map(tf.constant, states[0][:count])))
        self.rows.write(slice(None), states[0][count:])

    def given(self, workers: np.ndarray, draw: RoundDraw) -> tuple[Columns, RoundDraw]:
        """Return the tensors of a round for some workers."""
        group = self.group
        radio = group.uplink.radio(group.settings, group.uplink.elements)
        radio = tf.nest.map_structure(lambda value: tf.constant([value], group.task.dtype), radio)
        parameters = group.parameters([0], int(draw.number) + 1)
        return Columns(self.shared, group.task.own(workers), parameters, radio, self.everyone), in_tensors(draw)
