"""Iteration of a method inside a program: local updates, upload, global update, broadcast.

Executors decide where workers' states lie.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms import Method
from otafl.algorithms.protocol import Local, Round
from otafl.arrays import Tensor
from otafl.round_draw import RoundDraw, on_elements
from otafl.training.learner import Learner
from otafl.uplinks import Uplink
from otafl.uplinks.chain import Chain
from otafl.uplinks.link import Link, Sent, Upload, Vectors
from otafl.variables import VARIABLES
from otafl.xla import fused

ON_AIR = ("energy", "aggregation_nmse", "worker_power")
"""Metrics of an upload; energy and power are those of analog symbols."""
LEARNT = ("loss", "primal_residual", "dual_residual", "penalty", "local_epochs")
"""Metrics of models and duals after an upload."""
METRICS = (*ON_AIR, *LEARNT)
ROW = (*METRICS, "test_accuracy")
"""Metrics that an executor returns for each iteration."""


class ProgramSpec(NamedTuple):
    """Specification of a compiled program: all that shapes it, without numbers that differ between runs.

    Arguments:
        method: the method.
        options: options of the method.
        uplink: class of the uplink.
        chain: parts of the uplink, without numbers.
        kind: class of the problem.
        learner: trainer of networks; None: the problem has exact minimisers.
        flips: True where a change of channel changes the workers' update.
        whole: True where all is compiled as one program.
        carried: numbers that are sent for a vector; None: its elements.
        call: number of the study, where it has user's code.
    """

    method: Method
    options: Any
    uplink: type[Uplink]
    chain: Chain
    kind: Callable[..., Any]
    learner: Learner | None
    flips: bool
    whole: bool
    carried: int | None = None
    call: int = 0

    def memory(self, start: Tensor) -> Vectors:
        """Return a worker's memory for its uploads before the first one. Shape [1, d, runs] each."""
        return (tf.zeros_like(start),) * (self.chain.compressor.remembers * self.method.vectors)

    def apart(self, compute: Callable[[], Any]) -> Any:
        """Compute a function in its own compiled program, unless all is one program."""
        return compute() if self.whole else fused(compute)


class State(NamedTuple):
    """State of server and workers.

    Arguments:
        server: state of the method's server.
        client: states of the method's workers.
        memory: workers' memory for their uploads. Shape [workers, d, runs] each.
        heard: server's vectors as workers have received them: the global model, or over an analog downlink all vectors
            of the broadcast. Shape [workers or 1, d, runs] each.
    """

    server: Any
    client: Any
    memory: Vectors
    heard: Vectors


class Columns(NamedTuple):
    """Numbers in which the runs of a program differ, a column for each run.

    Arguments:
        shared: data that all workers have in common, in the form of the problem.
        own: data of the workers that are computed.
        parameters: parameters of the method, by name. Shape [columns] each.
        radio: numbers of the uplink, by name. Shape [columns] each.
    """

    shared: Any
    own: Any
    parameters: Any
    radio: Any


class Uploading(NamedTuple):
    """Upload in transmission.

    Arguments:
        link: the link that carries it.
        messages: vectors from the method.
        memory: workers' memory for their next uploads.
        sent: transmitted part of each message.
    """

    link: Link
    messages: Vectors
    memory: Vectors
    sent: tuple[Sent, ...]


Tap = Callable[[Local, Round, Uploading], Any]
"""Function of an observer that returns tensors from an iteration."""


def problem_of(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Any:
    """Return the local problems of a round."""
    return form.kind(form.learner, columns.shared, columns.own, draw.number, draw.epochs)


def prepare(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Any:
    """Return the method's preparations for the coherence block of a round."""
    problem = problem_of(form, columns, draw)

    def prepared() -> Any:
        gain = on_elements(draw.channel.gain, problem.start.shape[1])
        return form.method.prepare(problem, gain, columns.parameters)

    return form.apart(prepared)


def round_of(form: ProgramSpec, columns: Columns, draw: RoundDraw, prepared: Any, heard: Tensor) -> Round:
    """Return the record of a round for the method."""
    draw = draw if form.flips else draw._replace(changed=False)
    return Round(problem_of(form, columns, draw), columns.parameters, form.options, draw, prepared, heard)


def iterate(
    form: ProgramSpec, state: State, columns: Columns, draw: RoundDraw, prepared: Any, tap: Tap | None = None
) -> tuple[State, Tensor, Any]:
    """Compute one iteration.

    Arguments:
        form: specification of the program.
        state: state before.
        columns: numbers of the runs.
        draw: record of the round.
        prepared: from ``prepare``, for the coherence block.
        tap: observer; None: there is none.

    Returns:
        The state after, METRICS of shape [metrics, runs], and the observer's tensors.
    """
    now = round_of(form, columns, draw, prepared, state.heard[0])
    local = form.method.local_update(as_heard(form, state, draw), state.client, now)
    seen = tap(local, now, uploading(form, state.memory, local, now, columns.radio)) if tap else ()
    return *form.apart(lambda: exchange(form, state, local, now, columns.radio)), seen


def as_heard(form: ProgramSpec, state: State, draw: RoundDraw) -> Any:
    """Return the server's state as workers have received it."""
    if not draw.downlink_noise.shape[0]:
        return state.server
    return state.server._replace(**dict(zip(form.method.broadcasts, state.heard, strict=True)))


def exchange(form: ProgramSpec, state: State, local: Local, now: Round, radio: Any) -> tuple[State, Tensor]:
    """Compute upload, global update and broadcast after local updates.

    Arguments:
        form: specification of the program.
        state: state before.
        local: local updates.
        now: the round.
        radio: numbers of the uplink.

    Returns:
        The state after, and METRICS of shape [metrics, runs].
    """
    up = uploading(form, state.memory, local, now, radio)
    server, on_the_way = server_update(form.method, up.link, state.server, up.sent, now)
    after, measured = apply_broadcast(form, up.link, state._replace(memory=up.memory), server, local, up.messages, now)
    return after, tf.concat([on_the_way, measured], axis=0)


def link_of(form: ProgramSpec, now: Round, radio: Any) -> Link:
    """Return the link of an iteration."""
    draw = now.draw.on_elements(form.carried or now.heard.shape[1])
    return form.uplink.link(draw, radio, form.chain, now.heard[0, 0])


def uploading(form: ProgramSpec, memory: Vectors, local: Local, now: Round, radio: Any) -> Uploading:
    """Compress and transmit the messages of workers.

    Arguments:
        form: specification of the program.
        memory: workers' memory for their uploads.
        local: local updates.
        now: the round.
        radio: numbers of the uplink.
    """
    link, messages = link_of(form, now, radio), form.method.upload(local, now)
    light, left = link.compress(messages, memory)
    light = map(now.draw.of_active, light)
    sent = tuple(link.sent(message, vector(form.method, place)) for place, message in enumerate(light))
    return Uploading(link, messages, _kept(now.draw.active, _remembered(now.draw.uploads, left, memory), memory), sent)


def vector(method: Method, place: int) -> int:
    """Return the number of the vector that a message belongs to; messages after the last belong to the last."""
    return min(place, method.vectors - 1)


def server_update(method: Method, link: Link, server: Any, sent: tuple[Sent, ...], now: Round) -> tuple[Any, Tensor]:
    """Receive an upload and update the server.

    Arguments:
        method: the method.
        link: the link of the upload.
        server: its state before.
        sent: transmitted part of each message.
        now: the round.

    Returns:
        The server's state after, and ON_AIR of shape [metrics, runs].
    """
    received = [link.received(one, vector(method, place)) for place, one in enumerate(sent)]
    measured = _on_air(received[: method.vectors], now.draw.uploads)
    return method.global_update(server, tuple(one.total for one in received), now), measured


def _on_air(received: list[Upload], uploads: Tensor | None) -> Tensor:
    """Return ON_AIR of an upload; without an upload the energy is 0, and the rest is NaN."""
    error, signal = tf.unstack(tf.add_n([one.error for one in received]))
    power = functools.reduce(tf.maximum, [one.power for one in received])
    share = tf.where(error > 0, error / signal, tf.zeros_like(error))
    found = tf.stack([tf.add_n([one.energy for one in received]), share, power])
    if uploads is None:
        return found
    none = tf.constant([0.0] + [np.nan] * (len(ON_AIR) - 1), found.dtype)
    return tf.where(uploads[0] > 0, found, none[:, None])


def apply_broadcast(
    form: ProgramSpec, link: Link, before: State, server: Any, local: Local, messages: Vectors, now: Round
) -> tuple[State, Tensor]:
    """Broadcast the server's state and let workers receive it.

    Arguments:
        form: specification of the program.
        link: the link of the round.
        before: state before the round.
        server: the server's state after its update.
        local: local updates.
        messages: vectors from the method.
        now: the round.

    Returns:
        The state after, and LEARNT of shape [metrics, runs].
    """
    names = form.method.broadcasts[: len(before.heard)]
    heard = tuple(link.broadcast(getattr(server, name), place) for place, name in enumerate(names))
    client = form.method.receive(local, messages, heard[0], now)
    after = State(server, _kept(now.draw.active, client, before.client), before.memory, heard)
    return after, _measured(form, before, after, local, now)


def _measured(form: ProgramSpec, before: State, after: State, local: Local, now: Round) -> Tensor:
    """Return LEARNT, 0 where they are not wanted. Shape [metrics, runs]."""
    problem: Any = now.problem

    def measure() -> Tensor:
        loss = problem.loss(form.method.local_models(after.server, after.client), local.done.losses)
        finite = tf.reduce_all(tf.math.is_finite(after.server.model), axis=[0, 1])
        loss = tf.where(finite, loss, tf.constant(np.nan, loss.dtype))
        residuals = form.method.residuals(before.server, after.server, after.client, now)
        found = {"loss": loss, "local_epochs": tf.reduce_mean(local.done.epochs, axis=0)}
        found |= zip(("primal_residual", "dual_residual"), residuals, strict=True)
        found["penalty"] = form.method.penalty(after.server, now)
        return tf.stack([found[name] for name in LEARNT])

    if now.draw.record is None:
        return measure()
    model = after.server.model
    return tf.cond(now.draw.record, measure, lambda: tf.zeros([len(LEARNT), model.shape[2]], model.dtype))


def joined(measured: np.ndarray, workers: np.ndarray) -> np.ndarray:
    """Return LEARNT of all workers from those of parts, as sums of squares or means. Shape [metrics].

    Arguments:
        measured: LEARNT of each part. Shape [parts, metrics].
        workers: number of workers of each part. Shape [parts].
    """
    norms, means = np.sqrt(np.sum(measured.astype(float) ** 2, axis=0)), np.average(measured, axis=0, weights=workers)
    return np.where([VARIABLES[name].over_workers == "norm" for name in LEARNT], norms, means)


def _remembered(uploads: Tensor | None, new: Vectors, old: Vectors) -> Vectors:
    """Return workers' memory for their uploads, which changes only where there is an upload."""
    return new if uploads is None else tuple(tf.where(uploads > 0, *pair) for pair in zip(new, old, strict=True))


def _kept(active: Tensor | None, new: Any, old: Any) -> Any:
    """Return workers' new state, and the old one of those that do not take part."""
    return new if active is None else tf.nest.map_structure(lambda a, b: tf.where(active > 0, a, b), new, old)
