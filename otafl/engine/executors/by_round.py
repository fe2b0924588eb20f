"""The executor that keeps workers' states in rows on the host: a program does one round with those that take part.

What idle workers keep is not touched, and lies in the machine's memory, not in the program's.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl import xla
from otafl.arrays import Tensor
from otafl.engine import memory
from otafl.engine.checkpoint import Leaves
from otafl.engine.draws import Draws
from otafl.engine.executors.protocol import Measured, named
from otafl.engine.group import Group
from otafl.engine.inputs import Drawn, Round, rounds
from otafl.engine.iteration import Form, Given, State, iterate, prepare
from otafl.engine.position import Position
from otafl.engine.rows import Rows
from otafl.uplinks.link import Inputs


class RoundInputs(NamedTuple):
    """What a round is given; see ``iteration.Given`` and ``problems.trained``."""

    own: Any
    iteration: Tensor
    epochs: Tensor | None
    parameters: Any
    weight: Tensor
    steps: Tensor
    uploads: Tensor
    changed: Tensor
    link: Inputs


class Rounds:
    """A run: the server's part in tensors, the workers' rows in NumPy arrays, one round after the other.

    Arguments:
        form: shapes the program.
        shared: what all workers' problems have in common.
        workers: N.
        parameters: those that the method starts with.
        in_file: whether the rows lie in a file.
    """

    def __init__(self, form: Form, shared: Any, workers: int, parameters: Any, in_file: bool = False) -> None:
        self.form, self.shared = form, shared
        self.server, client = form.method.init(shared.start, form.options, parameters)
        self.first = (client, form.memory(shared.start))
        self.rows = Rows([leaf.numpy() for leaf in tf.nest.flatten(self.first)], workers, in_file)

    def advance(self, inputs: RoundInputs, workers: np.ndarray, evaluate: bool) -> np.ndarray:
        """Do a round with some workers; returns a ROW, its accuracy NaN without a reading."""
        step = compiled(self.form)[0]
        self.server, after, measured = step(self.server, self.kept(workers), self.shared, inputs)
        self.keep(workers, after)
        return np.append(measured.numpy()[:, 0], self.accuracy(inputs) if evaluate else np.nan)

    def accuracy(self, inputs: RoundInputs) -> np.float32:
        """The test accuracy of the global model."""
        return compiled(self.form)[1](self.server.model, self.shared, inputs.own).numpy()[0]

    def kept(self, workers: np.ndarray) -> tuple:
        """What some workers keep, for the method and for their uploads."""
        return tf.nest.pack_sequence_as(self.first, [tf.constant(rows[workers]) for rows in self.rows.arrays])

    def keep(self, workers: np.ndarray, kept: tuple) -> None:
        """Note what some workers keep now."""
        self.rows.write(workers, [leaf.numpy() for leaf in tf.nest.flatten(kept)])

    def state(self) -> list[np.ndarray]:
        """What the server keeps, and the workers' rows, which go on changing."""
        return [*(leaf.numpy() for leaf in tf.nest.flatten(self.server)), *self.rows.arrays]

    def set_state(self, state: list[np.ndarray]) -> None:
        """Go on from what server and workers have kept."""
        count = len(tf.nest.flatten(self.server))
        self.server = tf.nest.pack_sequence_as(self.server, list(map(tf.constant, state[:count])))
        self.rows.write(slice(None), state[count:])


def given_of(form: Form, shared: Any, inputs: RoundInputs) -> Given:
    """What the iteration is given, inside a program."""
    problem = form.kind.bind(form.learner, shared, inputs.own, inputs.iteration, inputs.epochs)
    return Given(
        problem=problem,
        parameters=inputs.parameters,
        weight=inputs.weight,
        steps=inputs.steps,
        uploads=inputs.uploads,
        active=None,
        changed=inputs.changed if form.flips else False,
        link=inputs.link._replace(iteration=inputs.iteration),
        prepared=prepare(form, problem, inputs.link.channel.gain, inputs.parameters),
        record=True,
    )


@xla.kept
def compiled(form: Form) -> tuple[Callable, Callable]:
    """A form's compiled round, ``(server, kept, shared, inputs) -> (server, kept, METRICS)``, and the test accuracy
    of a model, ``(model, shared, own)``."""

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Any, kept: tuple, shared: Any, inputs: RoundInputs) -> tuple:
        (client, memory), given = kept, given_of(form, shared, inputs)
        after, measured = iterate(form, State(server, client, memory, (server.model,)), given)
        return after.server, (after.client, after.memory), measured

    @tf.function(jit_compile=form.whole, autograph=False)
    def accuracy(model: Tensor, shared: Any, own: Any) -> Tensor:
        return form.kind.bind(form.learner, shared, own, tf.constant(0), None).test_accuracy(model)

    return step, accuracy


class Sampled:
    """A run with workers' states on the host; runs that differ in what an exact uplink costs are one and the same."""

    kind = Rounds

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
        return named(self.group, np.repeat(row[:, None, None], len(self.group.columns), axis=2))

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


def _along(values: np.ndarray, dtype: Any) -> Any:
    """Numbers of participants as a tensor [participants, 1, 1]."""
    return tf.constant(np.asarray(values, dtype)[:, None, None])
