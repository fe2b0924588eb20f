"""The executor that keeps workers' states in rows on the host: a program does one round with those that take part.

What idle workers keep is not touched, and lies in the machine's memory, not in the program's.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
import tensorflow as tf

from otafl import xla
from otafl.arrays import Tensor
from otafl.engine import run_size
from otafl.engine.checkpoint import Leaves
from otafl.engine.draws import Draws
from otafl.engine.executors.protocol import Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Assigned, Drawn, in_tensors, rounds
from otafl.engine.iteration import Columns, ProgramSpec, State, iterate, prepare, problem_of
from otafl.engine.stream_position import Position
from otafl.engine.worker_states import WorkerStates
from otafl.round_draw import RoundDraw


class Rounds:
    """A run: the server's part in tensors, the workers' rows in NumPy arrays, one round after the other.

    Arguments:
        form: shapes the program.
        shared: what all workers' problems have in common.
        workers: N.
        parameters: those that the method starts with.
        in_file: whether the rows lie in a file.
    """

    def __init__(self, form: ProgramSpec, shared: Any, workers: int, parameters: Any, in_file: bool = False) -> None:
        self.form, self.shared = form, shared
        self.server, client = form.method.init(shared.start, form.options, parameters)
        self.first = (client, form.memory(shared.start))
        self.rows = WorkerStates([leaf.numpy() for leaf in tf.nest.flatten(self.first)], workers, in_file)

    def advance(self, columns: Columns, draw: RoundDraw, workers: np.ndarray) -> np.ndarray:
        """Do a round with some workers; returns a ROW, its accuracy NaN without a reading."""
        step = compiled(self.form)[0]
        self.server, after, measured = step(self.server, self.kept(workers), columns, draw)
        self.keep(workers, after)
        return np.append(measured.numpy()[:, 0], self.accuracy(columns, draw))

    def accuracy(self, columns: Columns, draw: RoundDraw) -> np.float32 | float:
        """The test accuracy of the global model; NaN where it is not wanted."""
        return compiled(self.form)[1](self.server.model, columns, draw).numpy()[0] if draw.evaluate else np.nan

    def kept(self, workers: np.ndarray) -> tuple:
        """Return some workers' rows, for the method and for their uploads."""
        return tf.nest.pack_sequence_as(self.first, [tf.constant(rows[workers]) for rows in self.rows.arrays])

    def keep(self, workers: np.ndarray, kept: tuple) -> None:
        """Note what some workers keep now."""
        self.rows.write(workers, [leaf.numpy() for leaf in tf.nest.flatten(kept)])

    def state(self) -> list[np.ndarray]:
        """Return the server's state and the workers' rows, which go on changing."""
        return [*(leaf.numpy() for leaf in tf.nest.flatten(self.server)), *self.rows.arrays]

    def set_state(self, state: list[np.ndarray]) -> None:
        """Go on from what server and workers have kept."""
        count = len(tf.nest.flatten(self.server))
        self.server = tf.nest.pack_sequence_as(self.server, list(map(tf.constant, state[:count])))
        self.rows.write(slice(None), state[count:])


@xla.kept
def compiled(form: ProgramSpec) -> tuple[Callable, Callable]:
    """A form's compiled round, ``(server, kept, columns, draw) -> (server, kept, METRICS)``, and the test accuracy of a
    model, ``(model, columns, draw)``."""

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Any, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        client, memory = kept
        state = State(server, client, memory, (server.model,))
        after, measured, _ = iterate(form, state, columns, draw, prepare(form, columns, draw))
        return after.server, (after.client, after.memory), measured

    @tf.function(jit_compile=form.whole, autograph=False)
    def accuracy(model: Tensor, columns: Columns, draw: RoundDraw) -> Tensor:
        return problem_of(form, columns, draw).test_accuracy(model)

    return step, accuracy


class Sampled:
    """A run with workers' states on the host; runs that differ in what an exact uplink costs are one and the same."""

    kind = Rounds

    def __init__(self, group: Group) -> None:
        self.group = group
        shared, parameters = group.task.shared(np.array([0])), group.parameters([0])
        self.rounds: Any = self.kind(group.form, shared, group.workers, parameters, run_size.in_file(group))

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        """The random inputs round by round, from a position on until all runs are finished."""
        return rounds(Draws(self.group, begin))

    def advance(self, drawn: Assigned, pool: Executor) -> Measured:
        """Do one round."""
        row = self.row(*drawn)
        return named(self.group, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

    def row(self, workers: np.ndarray, draw: RoundDraw) -> np.ndarray:
        """Do one round; returns a ROW."""
        return self.rounds.advance(*self.given(workers, draw), workers)

    def states(self) -> list[Leaves]:
        """Return the state of every run; all share one."""
        return [self.rounds.state()] * len(self.group.columns)

    def set_states(self, states: list[Leaves]) -> None:
        """Let the runs go on from what server and workers of an earlier one have kept."""
        self.rounds.set_state(states[0])

    def given(self, workers: np.ndarray, draw: RoundDraw) -> tuple[Columns, RoundDraw]:
        """Return the tensors of a round for some workers."""
        group = self.group
        radio = group.uplink.radio(group.settings, group.uplink.elements)
        radio = tf.nest.map_structure(lambda value: tf.constant([value], group.task.dtype), radio)
        parameters = group.parameters([0], int(draw.number) + 1)
        return Columns(self.rounds.shared, group.task.own(workers), parameters, radio), in_tensors(draw)
