"""Iteration of a method inside a program: local updates, upload, global update, broadcast."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import tensorflow as tf

from otafl.algorithms import Method
from otafl.algorithms.local_problem import Local, Round
from otafl.federation.hostile_workers import altered
from otafl.federation.round_draw import RoundDraw, on_elements
from otafl.metrics import Metric
from otafl.metrics.result_variables import VARIABLES
from otafl.numerics.compilation import fused
from otafl.numerics.tensors import Messages, Tensor
from otafl.training.learner import Learner
from otafl.uplinks import Uplink
from otafl.uplinks.chain import Chain
from otafl.uplinks.link import Link, Sent, Upload

ON_AIR = ("energy", "aggregation_nmse", "worker_power")
"""Metrics of an upload: energy of all workers' analog symbols [J], squared error of the received sum over the squared
norm of the wanted one, and largest mean power of a worker's analog symbols [W]."""
LEARNT = ("loss", "primal_residual", "dual_residual", "penalty", "local_epochs")
"""Metrics of models and duals after an upload; epochs are the mean of the workers."""
METRICS = (*ON_AIR, *LEARNT)
ROW = (*METRICS, "test_accuracy")
"""Metrics that an executor returns for each iteration."""

Fields: TypeAlias = Any
"""Named tuple of tensors whose fields the method, the problem or the uplink chooses, such as ``model`` or ``rho``."""
Result = TypeVar("Result")
Tree = TypeVar("Tree")


class ProgramSpec(NamedTuple):
    """Specification of a compiled program: all that shapes it; equal specifications share one.

    Arguments:
        options: values that shape the method's program, by name, such as ``workers``; a named tuple.
        chain: the uplink's parts, without numbers.
        kind: function that returns a round's local problems, a ``Problem``, from ``learner``, data that all workers
            share, the workers' data, the number of the round, and epochs, [workers].
        learner: learner that trains networks; None: the problem has exact minimisers.
        flips: True where a change of channel changes the workers' update.
        whole: True where all is compiled as one program; else a program each for local updates, upload and so on.
        carried: count of real numbers that a worker sends for a vector of d elements; None: d.
        call: number of the study in this process, if it has user's code, so that changed code is compiled again.
        metrics: metrics that the runs ask for, beside the usual ones.
    """

    method: Method
    options: Fields
    uplink: type[Uplink]
    chain: Chain
    kind: Callable[..., Fields]
    learner: Learner | None
    flips: bool
    whole: bool
    carried: int | None = None
    call: int = 0
    metrics: tuple[Metric, ...] = ()

    def memory(self, start: Tensor) -> Messages:
        """Return a worker's memory for its uploads before the first one: zeros. Shape [1, d, runs] each."""
        return (tf.zeros_like(start),) * (self.chain.compressor.remembers * self.method.vectors)

    def apart(self, compute: Callable[[], Result]) -> Result:
        """Compute a function in its own compiled program, unless all is one program."""
        return compute() if self.whole else fused(compute)


class State(NamedTuple):
    """State of server and workers between two iterations, for models of d elements.

    Arguments:
        server: state of the method's server, a named tuple with at least ``model``, the global model [1, d, runs].
        client: states of the method's workers, such as models and duals. Shape [workers, ..., runs] each.
        memory: parts of earlier vectors that compression left out, and that workers add to their next uploads; empty
            where the compressor remembers nothing. Shape [workers, d, runs] each.
        heard: vectors of the server as workers have received them: the global model, or over an analog downlink all
            vectors of the broadcast. Shape [workers or 1, d, runs] each.
    """

    server: Fields
    client: Fields
    memory: Messages
    heard: Messages


class Columns(NamedTuple):
    """Inputs in which the runs of a program differ, each run an entry on the last axis (a column).

    Arguments:
        shared: data that all workers have in common, with the initial model.
        own: data of the workers that are computed; None for exact minimisers.
        parameters: parameters of the method, such as ``rho``. Shape [runs] each.
        radio: result of ``Uplink.radio``, such as the power budget [W] of an analog uplink. Shape [runs] each.
        everyone: data of all workers where a metric may read them and ``own`` has participants alone; else None.
    """

    shared: Fields
    own: Fields
    parameters: Fields
    radio: Fields
    everyone: Fields = None


class Uploading(NamedTuple):
    """Upload of a round in transmission, before the server receives it."""

    link: Link
    messages: Messages
    """Vectors of the method, before compression."""
    memory: Messages
    """Parts of them that compression left out, for the next uploads."""
    sent: tuple[Sent, ...]
    """Sums over workers for each message, such as that of the symbols as they arrive."""


class RoundDone(NamedTuple):
    """Round that has been computed, for observers: states before and after, local updates, and inputs."""

    form: ProgramSpec
    before: State
    after: State
    local: Local
    now: Round
    radio: Fields

    @property
    def upload(self) -> Uploading:
        """Upload before the server receives it, computed once more."""
        return uploading(self.form, self.before.memory, self.local, self.now, self.radio)


Tap = Callable[[RoundDone], tuple[Tensor, ...]]
"""Function of an observer: from a round that is done, any tensors that it wants to keep."""


def problem_of(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Fields:
    """Return the local problems of a round, a ``Problem`` with the losses f_n of the workers."""
    return form.kind(form.learner, columns.shared, columns.own, draw.number, draw.epochs)


def prepare(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Fields:
    """Return the method's preparations for the coherence block of a round (rounds with one channel)."""
    problem = problem_of(form, columns, draw)

    def prepared() -> Fields:
        gain = on_elements(draw.channel.gain, problem.start.shape[1])
        return form.method.prepare(problem, gain, columns.parameters)

    return form.apart(prepared)


def round_of(form: ProgramSpec, columns: Columns, draw: RoundDraw, prepared: Fields, heard: Tensor) -> Round:
    """Return the inputs of a round: local problems, parameters, draws and the received global model."""
    draw = draw if form.flips else draw._replace(changed=False)
    return Round(problem_of(form, columns, draw), columns.parameters, form.options, draw, prepared, heard)


def iterate(
    form: ProgramSpec, state: State, columns: Columns, draw: RoundDraw, prepared: Fields, tap: Tap | None = None
) -> tuple[State, Tensor, Tensor, tuple[Tensor, ...]]:
    """Return the state after a round, METRICS [metrics, runs], epochs [workers, runs], and the observer's tensors."""
    now = round_of(form, columns, draw, prepared, state.heard[0])
    local = form.method.local_update(as_heard(form, state, draw), state.client, now)
    after, measured = form.apart(lambda: exchange(form, state, local, now, columns.radio))
    seen = tap(RoundDone(form, state, after, local, now, columns.radio)) if tap else ()
    return after, measured, local.done.epochs, seen


def as_heard(form: ProgramSpec, state: State, draw: RoundDraw) -> Fields:
    """Return the server's state as workers have received it: over an analog downlink, with noisy vectors of each."""
    if not draw.downlink_noise.shape[0]:
        return state.server
    return state.server._replace(**dict(zip(form.method.broadcasts, state.heard, strict=True)))


def exchange(form: ProgramSpec, state: State, local: Local, now: Round, radio: Fields) -> tuple[State, Tensor]:
    """Compute upload, global update and broadcast after local updates; return the state after, and METRICS."""
    up = uploading(form, state.memory, local, now, radio)
    server, on_the_way = server_update(form.method, up.link, state.server, up.sent, now)
    after, measured = apply_broadcast(form, up.link, state._replace(memory=up.memory), server, local, up.messages, now)
    return after, tf.concat([on_the_way, measured], axis=0)


def link_of(form: ProgramSpec, now: Round, radio: Fields) -> Link:
    draw = now.draw.on_elements(form.carried or now.heard.shape[1])
    return form.uplink.links(draw, radio, form.chain.with_numbers(radio.numbers), tf.zeros_like(now.heard[0, 0]))


def uploading(form: ProgramSpec, memory: Messages, local: Local, now: Round, radio: Fields) -> Uploading:
    """Compress and send workers' messages, and return the upload before the server receives it."""
    link, messages, draw = link_of(form, now, radio), form.method.upload(local, now), now.draw
    shown = tuple(altered(message, draw.weight, draw.alteration, draw.number) for message in messages)
    light, left = link.compress(shown, memory)
    light = map(draw.of_active, light)
    sent = tuple(link.sent(message, vector(form.method, place)) for place, message in enumerate(light))
    return Uploading(link, messages, where_active(draw.active, where_active(draw.uploads, left, memory), memory), sent)


def vector(method: Method, place: int) -> int:
    """Return the index of the vector that a message belongs to: single numbers follow the vectors, with the last."""
    return min(place, method.vectors - 1)


def server_update(
    method: Method, link: Link, server: Fields, sent: tuple[Sent, ...], now: Round
) -> tuple[Fields, Tensor]:
    """Receive an upload, and update the server unless all uploads are lost; return its state after, and ON_AIR."""
    received = [link.received(sums, vector(method, place)) for place, sums in enumerate(sent)]
    measured = _on_air(received[: method.vectors], now.draw.uploads)
    after = method.global_update(server, tuple(upload.total for upload in received), now)
    return where_active(now.draw.arrives, after, server), measured


def _on_air(received: list[Upload], uploads: Tensor | None) -> Tensor:
    """Return ON_AIR of an upload; without an upload the energy is 0, and the rest is NaN."""
    error, signal = tf.unstack(tf.add_n([upload.error for upload in received]))
    power = functools.reduce(tf.maximum, [upload.power for upload in received])
    share = tf.where(error > 0, error / signal, tf.zeros_like(error))
    metrics = tf.stack([tf.add_n([upload.energy for upload in received]), share, power])
    if uploads is None:
        return metrics
    none = tf.constant([0.0] + [np.nan] * (len(ON_AIR) - 1), metrics.dtype)
    return tf.where(uploads[0] > 0, metrics, none[:, None])


def apply_broadcast(
    form: ProgramSpec, link: Link, before: State, server: Fields, local: Local, messages: Messages, now: Round
) -> tuple[State, Tensor]:
    """Broadcast the server's state and let workers receive it; return the state after, and LEARNT."""
    names = form.method.broadcasts[: len(before.heard)]
    heard = tuple(link.broadcast(getattr(server, name), place) for place, name in enumerate(names))
    client = form.method.receive(local, messages, heard[0], now)
    after = State(server, where_active(now.draw.active, client, before.client), before.memory, heard)
    return after, _measured(form, before, after, local, now)


def _measured(form: ProgramSpec, before: State, after: State, local: Local, now: Round) -> Tensor:
    """Return LEARNT, 0 where they are not wanted. Shape [metrics, runs]."""
    problem: Fields = now.problem

    def measure() -> Tensor:
        models, seen = form.method.local_models(after.server, after.client), mean_loss(local.done.losses, now.weight)
        loss = problem.reported_loss(models, seen)
        finite = tf.reduce_all(tf.math.is_finite(after.server.model), axis=[0, 1])
        loss = tf.where(finite, loss, tf.constant(np.nan, loss.dtype))
        residuals = form.method.residuals(before.server, after.server, after.client, now)
        values = {"loss": loss, "local_epochs": tf.reduce_mean(local.done.epochs, axis=0)}
        values |= zip(("primal_residual", "dual_residual"), residuals, strict=True)
        values["penalty"] = form.method.penalty(after.server, now)
        return tf.stack([values[name] for name in LEARNT])

    if now.draw.record is None:
        return measure()
    model = after.server.model
    return tf.cond(now.draw.record, measure, lambda: tf.zeros([len(LEARNT), model.shape[2]], model.dtype))


def mean_loss(losses: Tensor, weight: Tensor) -> Tensor:
    """Return the mean of the participants' losses Σω_n f_n/Σω_n by their weights in the objective. Shape [runs]."""
    share = weight[:, 0] / tf.reduce_max(weight)  # so that equal ones leave a plain mean to the last bit
    return tf.reduce_mean(share * (share.shape[0] / tf.reduce_sum(share)) * losses, axis=0)


def joined(measured: np.ndarray, workers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return LEARNT of all workers' models from those of parts. Shape [metrics]."""
    sums = {
        "norm": np.sqrt(np.sum(measured.astype(float) ** 2, axis=0)),
        "mean": np.average(measured, axis=0, weights=workers),
        "objective": np.average(measured, axis=0, weights=weights),
    }
    return np.array([sums[VARIABLES[name].over_workers][at] for at, name in enumerate(LEARNT)])


def where_active(active: Tensor | None, new: Tree, old: Tree) -> Tree:
    """Return workers' new state, and the old one of those that do not take part."""
    return new if active is None else tf.nest.map_structure(lambda a, b: tf.where(active > 0, a, b), new, old)
