"""One iteration of a method, inside a program: the workers' part, the way to the server, the server's part and back.

Workers' states lie where an executor keeps them.
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
"""Measures of an upload; energy and power are those of analog symbols."""
LEARNT = ("loss", "primal_residual", "dual_residual", "penalty", "local_epochs")
"""Measures of models and duals after it."""
METRICS = (*ON_AIR, *LEARNT)
ROW = (*METRICS, "test_accuracy")
"""Numbers that an executor gives for each iteration."""


class ProgramSpec(NamedTuple):
    """All that shapes a program, and stays when only numbers change.

    Arguments:
        method: the method.
        options: of the method.
        uplink: which kind carries it.
        chain: parts of the uplink, of any numbers.
        kind: function that returns the local problems of a round.
        learner: how networks are trained; None: the problem has exact minimisers.
        flips: whether a change of channel changes what the workers do.
        whole: whether all is compiled as one program.
        carried: numbers that are sent for a vector; None: its elements.
        call: number of the study, where it has code of the user's own.
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
        """Compute something in a compiled program of its own, unless all is one."""
        return compute() if self.whole else fused(compute)


class State(NamedTuple):
    """State of server and workers, these for the method and for their uploads, and the server's vectors as workers
    have heard them, [workers or 1, d, runs]: the global model, or over an analog downlink all that is broadcast."""

    server: Any
    client: Any
    memory: Vectors
    heard: Vectors


class Columns(NamedTuple):
    """Numbers in which the runs of a program may differ, a run to a column.

    Arguments:
        shared: data that all workers have in common, as the problem has them.
        own: data of the workers that are computed.
        parameters: of the method, by name. Shape [columns] each.
        radio: numbers of the uplink, by name. Shape [columns] each.
    """

    shared: Any
    own: Any
    parameters: Any
    radio: Any


class Uploading(NamedTuple):
    """An upload on its way.

    Arguments:
        link: that carries it.
        messages: as the method has formed them.
        memory: what workers keep of them for their next uploads.
        sent: of each message.
    """

    link: Link
    messages: Vectors
    memory: Vectors
    sent: tuple[Sent, ...]


Tap = Callable[[Local, Round, Uploading], Any]
"""Returns what an observer wants to know of an iteration, in tensors."""


def problem_of(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Any:
    """Return the local problems of a round."""
    return form.kind(form.learner, columns.shared, columns.own, draw.number, draw.epochs)


def prepare(form: ProgramSpec, columns: Columns, draw: RoundDraw) -> Any:
    """Return what the method prepares for the coherence block of a round."""
    problem = problem_of(form, columns, draw)

    def prepared() -> Any:
        gain = on_elements(draw.channel.gain, problem.start.shape[1])
        return form.method.prepare(problem, gain, columns.parameters)

    return form.apart(prepared)


def round_of(form: ProgramSpec, columns: Columns, draw: RoundDraw, prepared: Any, heard: Tensor) -> Round:
    """Return a round as the method sees it."""
    draw = draw if form.flips else draw._replace(changed=False)
    return Round(problem_of(form, columns, draw), columns.parameters, form.options, draw, prepared, heard)


def iterate(
    form: ProgramSpec, state: State, columns: Columns, draw: RoundDraw, prepared: Any, tap: Tap | None = None
) -> tuple[State, Tensor, Any]:
    """Return the state after an iteration, METRICS, [metrics, runs], and what a tap has told of it."""
    now = round_of(form, columns, draw, prepared, state.heard[0])
    local = form.method.local_update(as_heard(form, state, draw), state.client, now)
    seen = tap(local, now, uploading(form, state.memory, local, now, columns.radio)) if tap else ()
    return *form.apart(lambda: exchange(form, state, local, now, columns.radio)), seen


def as_heard(form: ProgramSpec, state: State, draw: RoundDraw) -> Any:
    """Return the server's state as workers know of it."""
    if not draw.downlink_noise.shape[0]:
        return state.server
    return state.server._replace(**dict(zip(form.method.broadcasts, state.heard, strict=True)))


def exchange(form: ProgramSpec, state: State, local: Local, now: Round, radio: Any) -> tuple[State, Tensor]:
    """Return the state after the upload and all that follows from it, and METRICS, [metrics, runs]."""
    up = uploading(form, state.memory, local, now, radio)
    server, on_the_way = server_update(form.method, up.link, state.server, up.sent, now)
    after, measured = apply_broadcast(form, up.link, state._replace(memory=up.memory), server, local, up.messages, now)
    return after, tf.concat([on_the_way, measured], axis=0)


def link_of(form: ProgramSpec, now: Round, radio: Any) -> Link:
    """Return the link of an iteration."""
    draw = now.draw.on_elements(form.carried or now.heard.shape[1])
    return form.uplink.link(draw, radio, form.chain, now.heard[0, 0])


def uploading(form: ProgramSpec, memory: Vectors, local: Local, now: Round, radio: Any) -> Uploading:
    """Put the messages of workers, who have kept some memory, on their way."""
    link, messages = link_of(form, now, radio), form.method.upload(local, now)
    light, left = link.compress(messages, memory)
    light = map(now.draw.of_active, light)
    sent = tuple(link.sent(message, vector(form.method, place)) for place, message in enumerate(light))
    return Uploading(link, messages, _kept(now.draw.active, _remembered(now.draw.uploads, left, memory), memory), sent)


def vector(method: Method, place: int) -> int:
    """Return the number of the vector as which a message goes; behind the last it is that one again."""
    return min(place, method.vectors - 1)


def server_update(method: Method, link: Link, server: Any, sent: tuple[Sent, ...], now: Round) -> tuple[Any, Tensor]:
    """Return the server's state after it has received all that was sent, and ON_AIR, [measures, runs]."""
    received = [link.received(one, vector(method, place)) for place, one in enumerate(sent)]
    measured = _on_air(received[: method.vectors], now.draw.uploads)
    return method.global_update(server, tuple(one.total for one in received), now), measured


def _on_air(received: list[Upload], uploads: Tensor | None) -> Tensor:
    """ON_AIR of the vectors of an upload; where there is none, it takes no energy, and nothing can be measured."""
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
    """Return the state once workers have heard of the server's new one, and LEARNT, [measures, runs]."""
    names = form.method.broadcasts[: len(before.heard)]
    heard = tuple(link.broadcast(getattr(server, name), place) for place, name in enumerate(names))
    client = form.method.receive(local, messages, heard[0], now)
    after = State(server, _kept(now.draw.active, client, before.client), before.memory, heard)
    return after, _measured(form, before, after, local, now)


def _measured(form: ProgramSpec, before: State, after: State, local: Local, now: Round) -> Tensor:
    """LEARNT, 0 where they are not wanted. Shape [measures, runs]."""
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
    """LEARNT of all workers, from those of parts of so many, as their rows in the table of variables say.

    Shape [parts, measures], then [measures].
    """
    norms, means = np.sqrt(np.sum(measured.astype(float) ** 2, axis=0)), np.average(measured, axis=0, weights=workers)
    return np.where([VARIABLES[name].over_workers == "norm" for name in LEARNT], norms, means)


def _remembered(uploads: Tensor | None, new: Vectors, old: Vectors) -> Vectors:
    """Return workers' memory for their uploads, which changes only where there is one."""
    return new if uploads is None else tuple(tf.where(uploads > 0, *pair) for pair in zip(new, old, strict=True))


def _kept(active: Tensor | None, new: Any, old: Any) -> Any:
    """Return workers' new state, of those that do not take part the old one."""
    return new if active is None else tf.nest.map_structure(lambda a, b: tf.where(active > 0, a, b), new, old)
