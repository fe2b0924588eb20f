"""Rounds of a federated method: what the participants keep is fetched, one compiled program does a round, and what they
keep then is put back. What idle workers keep is not touched, and lies in the machine's memory, not in the program's.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms import UplinkKind
from otafl.algorithms.federated import FederatedMethod, Options, Parameters, Round
from otafl.arrays import Tensor
from otafl.training.learner import Learner
from otafl.uplinks.analog import AnalogLink, Radio, on_elements
from otafl.uplinks.digital import DigitalLink
from otafl.uplinks.link import Link
from otafl.xla import fused


class Form(NamedTuple):
    """What shapes a program, and stays when only numbers change.

    Arguments:
        method: the class's instance, one for each class.
        options: the method's.
        kind: class of the problem.
        learner: how networks are trained.
        uplink: what carries uploads.
        vectors: how many vectors are uploads of their own.
        whole: whether all is compiled as one program.
    """

    method: FederatedMethod
    options: Options
    kind: type
    learner: Learner
    uplink: UplinkKind
    vectors: int
    whole: bool


class Inputs(NamedTuple):
    """What a round is given.

    Arguments:
        samples: of the participants, by the names of fields of the problem.
        parameters: numbers that the method may read.
        weight: ω. Shape [participants, 1, 1].
        steps: Q. Shape [participants, 1, 1].
        uploads: whether the round ends with an upload, 1 or 0. Shape [1, 1, 1].
        gain: |h|² on the subcarriers in use, for an analog uplink. Shape [participants, subcarriers, 1].
        noise: real samples N(0, 1) for each vector of an analog uplink. Shape [vectors, d, 1].
        radio: of an analog uplink.
    """

    samples: dict[str, Any]
    parameters: Parameters
    weight: Any
    steps: Any
    uploads: Any
    gain: Any
    noise: Any
    radio: Radio


class Rounds:
    """A run: the server's part in tensors, the workers' rows in NumPy arrays, one round after the other.

    Arguments:
        form: shapes the program.
        shared: what all workers' problems have in common, by the names of fields of the problem.
        workers: N.
        rho: the penalty that the method starts with. Shape [1].
    """

    def __init__(self, form: Form, shared: dict[str, Any], workers: int, rho: Tensor) -> None:
        self.form, self.shared = form, shared
        self.step, self.accuracy = compiled(form)
        start = shared["start"]
        self.server, first = form.method.init(start, form.options, rho)
        self.kind = type(first)
        self.rows = [_rows(leaf.numpy(), workers) for leaf in first]

    def advance(self, inputs: Inputs, workers: np.ndarray, evaluate: bool) -> np.ndarray:
        """Do a round with some workers; returns energy, test accuracy (NaN without a reading), loss and epochs."""
        client = self.kind(*(tf.constant(rows[workers]) for rows in self.rows))
        self.server, after, measured = self.step(self.server, client, self.shared, inputs)
        for rows, leaf in zip(self.rows, after, strict=True):
            rows[workers] = leaf.numpy()
        read = self.accuracy(self.server.model, self.shared, inputs.samples).numpy()[0] if evaluate else np.nan
        energy, loss, epochs = measured.numpy()
        return np.array([energy, read, loss, epochs])


def _rows(first: np.ndarray, workers: int) -> np.ndarray:
    """A row for each worker; memory for rows of zeros is taken only as they are written."""
    if not first.any():
        return np.zeros((workers, *first.shape[1:]), first.dtype)
    return np.repeat(first, workers, axis=0)


@functools.cache
def compiled(form: Form) -> tuple[Callable, Callable]:
    """A form's compiled round, ``(server, client, shared, inputs) -> (server, client, [energy, loss, epochs])``, and
    the test accuracy of a model, ``(model, shared, samples)``."""

    def problem(shared: dict, samples: dict) -> Any:
        return form.kind(learner=form.learner, **shared, **samples)

    @tf.function(jit_compile=form.whole, autograph=False)
    def step(server: Any, client: Any, shared: dict, inputs: Inputs) -> tuple:
        local = problem(shared, inputs.samples)
        now = Round(local, inputs.parameters, form.options, inputs.weight, inputs.steps, inputs.uploads)
        sent = form.method.local_update(server, client, now)

        def exchange() -> tuple:
            totals, energy = received(form, sent.messages, inputs)
            after = form.method.global_update(server, totals, now)
            loss = local.loss(after.model, sent.done.losses)[0]
            finite = tf.reduce_all(tf.math.is_finite(after.model))
            loss = tf.where(finite, loss, tf.constant(np.nan, loss.dtype))
            return after, tf.stack([energy, loss, tf.reduce_mean(sent.done.epochs)])

        after, measured = exchange() if form.whole else fused(exchange)
        return after, sent.client, measured

    @tf.function(jit_compile=form.learner.fuses, autograph=False)
    def accuracy(model: Tensor, shared: dict, samples: dict) -> Tensor:
        return problem(shared, samples).test_accuracy(model)

    return step, accuracy


def received(form: Form, messages: tuple[Tensor, ...], inputs: Inputs) -> tuple[tuple[Tensor, ...], Tensor]:
    """The sums of messages as they arrive, and the energy sent as analog symbols [J], a scalar."""
    totals, energy = [], tf.zeros([])
    for place, message in enumerate(messages):
        upload = _link(form, min(place, form.vectors - 1), message, inputs).sum(message)
        totals.append(upload.total)
        energy += inputs.uploads[0, 0, 0] * upload.energy[0] if place < form.vectors else 0.0
    return tuple(totals), energy


def _link(form: Form, vector: int, message: Tensor, inputs: Inputs) -> Link:
    """The link that carries one of the vectors."""
    if form.uplink != "analog":
        return DigitalLink(tf.zeros([1]))
    inverse = on_elements(1 / inputs.gain, message.shape[1])
    return AnalogLink(inverse, inputs.noise[vector], None, inputs.radio)
