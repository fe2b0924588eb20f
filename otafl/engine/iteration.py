"""One iteration of a method, inside a program: the workers' part, the way to the server, the server's part and back.

Where workers' states lie is the affair of the executors, ``resident`` and ``sampled``.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms import Method
from otafl.algorithms.protocol import Local, Round
from otafl.arrays import Tensor
from otafl.training.learner import Learner
from otafl.uplinks import Uplink
from otafl.uplinks.chain import Chain
from otafl.uplinks.link import Inputs, Link, Sent, Upload, Vectors
from otafl.variables import VARIABLES
from otafl.xla import fused

ON_AIR = ("energy", "aggregation_nmse", "worker_power")
"""What an iteration measures of its upload; energy and power are those of analog symbols."""
LEARNT = ("loss", "primal_residual", "dual_residual", "penalty", "local_epochs")
"""What it measures of models and duals."""
METRICS = (*ON_AIR, *LEARNT)
ROW = (*METRICS, "test_accuracy")
"""What an executor gives for each iteration."""


class Form(NamedTuple):
    """What shapes a program, and stays when only numbers change.

    Arguments:
        method: the method.
        options: of the method.
        uplink: which kind carries it.
        chain: parts of the uplink, of any numbers.
        kind: class of the problem.
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
    kind: type
    learner: Learner | None
    flips: bool
    whole: bool
    carried: int | None = None
    call: int = 0

    def memory(self, start: Tensor) -> Vectors:
        """What a worker keeps for its uploads before the first one. Shape [1, d, runs] each."""
        return (tf.zeros_like(start),) * (self.chain.compressor.remembers * self.method.vectors)

    def apart(self, compute: Callable[[], Any]) -> Any:
        """Compute something in a compiled program of its own, unless all is one."""
        return compute() if self.whole else fused(compute)


class State(NamedTuple):
    """What server and workers keep, these for the method and for their uploads, and the server's vectors as workers
    have heard them, [workers or 1, d, runs]: the global model, or over an analog downlink all that is broadcast."""

    server: Any
    client: Any
    memory: Vectors
    heard: Vectors


class Given(NamedTuple):
    """What one iteration is given.

    Arguments:
        problem: the local problems of those that are computed.
        parameters: of the method, by name. Shape [runs] each.
        weight: ω. Shape [workers, 1, 1].
        steps: Q. Shape [workers, 1, 1].
        uploads: 1 where the iteration ends with an upload, else 0; None: all do. Shape [1, 1, 1].
        active: 1 for workers that take part, where others are computed, too. Shape [workers, 1, 1].
        changed: see ``Round``.
        link: what the link is made of, its channel on subcarriers.
        prepared: what the method has prepared.
        record: whether loss and residuals are wanted.
    """

    problem: Any
    parameters: Any
    weight: Tensor
    steps: Tensor
    uploads: Tensor | None
    active: Tensor | None
    changed: Any
    link: Inputs
    prepared: Any
    record: Any


def prepare(form: Form, problem: Any, gain: Tensor, parameters: Any) -> Any:
    """What the method prepares for a coherence block."""
    return form.apart(lambda: form.method.prepare(problem, on_elements(gain, problem.start.shape[1]), parameters))


def iterate(form: Form, state: State, given: Given) -> tuple[State, Tensor]:
    """The state after an iteration, and METRICS, [metrics, runs]."""
    now = round_of(form, state.heard[0], given)
    local = form.method.local_update(as_heard(form, state, given), state.client, now)
    return form.apart(lambda: exchange(form, state, local, given, now))


def as_heard(form: Form, state: State, given: Given) -> Any:
    """What the server keeps, as workers know of it."""
    if not given.link.downlink_noise.shape[0]:
        return state.server
    return state.server._replace(**dict(zip(form.method.broadcasts, state.heard, strict=True)))


def round_of(form: Form, heard: Tensor, given: Given) -> Round:
    """The iteration as the method sees it, the gain on subcarriers."""
    return Round(
        problem=given.problem,
        parameters=given.parameters,
        options=form.options,
        weight=given.weight,
        steps=given.steps,
        uploads=tf.ones([1, 1, 1], heard.dtype) if given.uploads is None else given.uploads,
        gain=given.link.channel.gain,
        prepared=given.prepared,
        heard=heard,
        changed=given.changed,
    )


def exchange(form: Form, state: State, local: Local, given: Given, now: Round) -> tuple[State, Tensor]:
    """The upload and all that follows from it."""
    link, gain = on_air(form, state.server, given)
    now = now._replace(gain=_of_active(gain, given.active))
    messages = form.method.upload(local, now)
    light, memory = link.compress(messages, state.memory)
    sent = put(form.method, link, tuple(_of_active(message, given.active) for message in light))
    server, on_the_way = served(form.method, link, state.server, sent, now, given.uploads)
    after, measured = told(form, link, state, server, local, messages, given, now._replace(gain=gain))
    after = after._replace(memory=_kept(given.active, remembered(given.uploads, memory, state.memory), state.memory))
    return after, tf.concat([on_the_way, measured], axis=0)


def on_air(form: Form, server: Any, given: Given) -> tuple[Link, Tensor]:
    """The link of an iteration, and the gain of its method's arithmetic, both on elements."""
    elements, channel = given.problem.start.shape[1], given.link.channel
    link = given.link._replace(channel=channel.each(lambda part: on_elements(part, form.carried or elements)))
    return form.uplink.link(link, form.chain, server.model[0, 0]), on_elements(channel.gain, elements)


def put(method: Method, link: Link, messages: tuple[Tensor, ...]) -> tuple[Sent, ...]:
    """Messages on their way."""
    return tuple(link.sent(message, vector(method, place)) for place, message in enumerate(messages))


def vector(method: Method, place: int) -> int:
    """As which vector of the upload a message goes; what is behind the last is that one again."""
    return min(place, method.vectors - 1)


def served(
    method: Method, link: Link, server: Any, sent: tuple[Sent, ...], now: Round, uploads: Tensor | None
) -> tuple[Any, Tensor]:
    """What the server keeps after it has received all that was sent, and ON_AIR, [measures, runs]."""
    received = [link.received(one, vector(method, place)) for place, one in enumerate(sent)]
    measured = _on_air(received[: method.vectors], uploads)
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


def told(
    form: Form, link: Link, before: State, server: Any, local: Local, messages: tuple, given: Given, now: Round
) -> tuple[State, Tensor]:
    """The state once workers have heard of the server's new one, and LEARNT, [measures, runs]."""
    names = form.method.broadcasts[: len(before.heard)]
    heard = tuple(link.broadcast(getattr(server, name), place) for place, name in enumerate(names))
    client = form.method.receive(local, messages, heard[0], now)
    after = State(server, _kept(given.active, client, before.client), before.memory, heard)
    return after, _measured(form, before, after, local, given, now)


def _measured(form: Form, before: State, after: State, local: Local, given: Given, now: Round) -> Tensor:
    """LEARNT, 0 where they are not wanted. Shape [measures, runs]."""

    def measure() -> Tensor:
        loss = given.problem.loss(form.method.local_models(after.server, after.client), local.done.losses)
        finite = tf.reduce_all(tf.math.is_finite(after.server.model), axis=[0, 1])
        loss = tf.where(finite, loss, tf.constant(np.nan, loss.dtype))
        residuals = form.method.residuals(before.server, after.server, after.client, now)
        found = {"loss": loss, "local_epochs": tf.reduce_mean(local.done.epochs, axis=0)}
        found |= zip(("primal_residual", "dual_residual"), residuals, strict=True)
        found["penalty"] = form.method.penalty(after.server, now)
        return tf.stack([found[name] for name in LEARNT])

    if given.record is True:
        return measure()
    model = after.server.model
    return tf.cond(given.record, measure, lambda: tf.zeros([len(LEARNT), model.shape[2]], model.dtype))


def joined(measured: np.ndarray, workers: np.ndarray) -> np.ndarray:
    """LEARNT of all workers, from those of parts of so many, as their rows in the table of variables say.

    Shape [parts, measures], then [measures].
    """
    norms, means = np.sqrt(np.sum(measured.astype(float) ** 2, axis=0)), np.average(measured, axis=0, weights=workers)
    return np.where([VARIABLES[name].over_workers == "norm" for name in LEARNT], norms, means)


def on_elements(values: Tensor, elements: int) -> Tensor:
    """What subcarriers have, as elements have it: element i rides subcarrier i mod S. Shape [workers, d, runs]."""
    if values.shape[1] == elements:
        return values
    return tf.tile(values, [1, -(-elements // values.shape[1]), 1])[:, :elements]


def _of_active(values: Tensor, active: Tensor | None) -> Tensor:
    """Values of workers, 0 of those that do not take part."""
    return values if active is None else active * values


def remembered(uploads: Tensor | None, new: Vectors, old: Vectors) -> Vectors:
    """What workers keep for their uploads, which changes only where there is one."""
    return new if uploads is None else tuple(tf.where(uploads > 0, *pair) for pair in zip(new, old, strict=True))


def _kept(active: Tensor | None, new: Any, old: Any) -> Any:
    """What workers keep: those that do not take part, what they had."""
    return new if active is None else tf.nest.map_structure(lambda a, b: tf.where(active > 0, a, b), new, old)
