"""The executor that keeps workers' states in rows on the host: a program does one round with those that take part.

What idle workers keep is not touched, and lies in the machine's memory, not in the program's.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.engine.iteration import Form, Given, State, iterate, prepare
from otafl.uplinks.uplink import Inputs


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
    """

    def __init__(self, form: Form, shared: Any, workers: int, parameters: Any) -> None:
        self.shared = shared
        self.step, self.accuracy = compiled(form)
        self.server, first = form.method.init(shared.start, form.options, parameters)
        self.kind = type(first)
        self.rows = [_rows(leaf.numpy(), workers) for leaf in first]

    def advance(self, inputs: RoundInputs, workers: np.ndarray, evaluate: bool) -> np.ndarray:
        """Do a round with some workers; returns a ROW, its accuracy NaN without a reading."""
        client = self.kind(*(tf.constant(rows[workers]) for rows in self.rows))
        self.server, after, measured = self.step(self.server, client, self.shared, inputs)
        for rows, leaf in zip(self.rows, after, strict=True):
            rows[workers] = leaf.numpy()
        read = self.accuracy(self.server.model, self.shared, inputs.own).numpy()[0] if evaluate else np.nan
        return np.append(measured.numpy()[:, 0], read)

    def state(self) -> list[np.ndarray]:
        """What the server keeps, and the workers' rows, which go on changing."""
        return [*(leaf.numpy() for leaf in tf.nest.flatten(self.server)), *self.rows]

    def set_state(self, state: list[np.ndarray]) -> None:
        """Go on from what server and workers have kept."""
        count = len(tf.nest.flatten(self.server))
        self.server = tf.nest.pack_sequence_as(self.server, list(map(tf.constant, state[:count])))
        self.rows = [rows.copy() for rows in state[count:]]


def _rows(first: np.ndarray, workers: int) -> np.ndarray:
    """A row for each worker; memory for rows of zeros is taken only as they are written."""
    if not first.any():
        return np.zeros((workers, *first.shape[1:]), first.dtype)
    return np.repeat(first, workers, axis=0)


@functools.cache
def compiled(form: Form) -> tuple[Callable, Callable]:
    """A form's compiled round, ``(server, client, shared, inputs) -> (server, client, METRICS)``, and the test accuracy
    of a model, ``(model, shared, own)``."""

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Any, client: Any, shared: Any, inputs: RoundInputs) -> tuple:
        problem = form.kind.bind(form.learner, shared, inputs.own, inputs.iteration, inputs.epochs)
        prepared = prepare(form, problem, inputs.link.channel.gain, inputs.parameters)
        given = Given(
            problem=problem,
            parameters=inputs.parameters,
            weight=inputs.weight,
            steps=inputs.steps,
            uploads=inputs.uploads,
            active=None,
            changed=inputs.changed if form.flips else False,
            link=inputs.link,
            prepared=prepared,
            record=True,
        )
        after, measured = iterate(form, State(server, client, server.model), given)
        return after.server, after.client, measured

    @tf.function(jit_compile=form.whole, autograph=False)
    def accuracy(model: Tensor, shared: Any, own: Any) -> Tensor:
        return form.kind.bind(form.learner, shared, own, tf.constant(0), None).test_accuracy(model)

    return step, accuracy
