"""What the server and an eavesdropper elsewhere receive in a run, and what workers would rather keep to themselves."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from channels.noise import complex_normal
from otafl import seeds, xla
from otafl.arrays import Tensor
from otafl.engine.executors import Resident, scatter
from otafl.engine.executors.in_program import Columns, Program
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk
from otafl.engine.iteration import Form, as_heard, exchange, on_air, on_elements, prepare, put, round_of
from otafl.engine.runtime import program_cache
from otafl.uplinks.analog_link import Radio, amplification, shortened
from otafl.uplinks.link import Link, Sent

program_cache.prepare()


class Observation(NamedTuple):
    """One iteration of a run.

    Arguments:
        known: the global model before it, which everyone hears. Shape [d].
        received: the first vector of the upload as the server has it: the sum [1, d], or where messages arrive one by
            one those of each worker [workers, d].
        overheard: what an eavesdropper receives of it through independent Rayleigh fading, real and imaginary part;
            the messages, where these are digital, which it can decode as the server does. Shape [2 or workers, d].
        model, gradient: of each worker, and its gradient there, over all of its samples. Shape [workers, d].
        spoke: whether each worker sends at each element, as the server knows. Shape [workers, d].
        gain: of each worker in the method's arithmetic, of which the server knows the sum. Shape [workers, d].
    """

    known: np.ndarray
    received: np.ndarray
    overheard: np.ndarray
    model: np.ndarray
    gradient: np.ndarray
    spoke: np.ndarray
    gain: np.ndarray


def observe(group: Group) -> Iterator[Observation]:
    """The iterations of a group of one run, all of whose workers take part."""
    (stream,) = (executor := Resident(group)).streams
    scatter(executor)
    rng, block = seeds.generator(group.seeds[0], "eavesdropper"), -1
    step, state = compiled(group.form), stream.state
    for drawn in executor.inputs():
        chunk = drawn.inputs[stream.seeds]
        for b, length in enumerate(chunk.lengths.numpy()[: int(chunk.blocks)]):
            for i in range(length):
                now = int(chunk.first[b]) + i
                if now // group.coherence != block:
                    block, gains = now // group.coherence, complex_normal(rng, (group.workers, group.uplink.in_use))
                before = state.server.model.numpy()[0, :, 0]
                state, *seen = step(state, stream.columns, chunk, tf.constant(b), tf.constant(i))
                yield _observation(group, before, seen, gains, rng)


def _observation(
    group: Group, before: np.ndarray, seen: list, gains: np.ndarray, rng: np.random.Generator
) -> Observation:
    """From what a program has brought."""
    message, total, model, gradient, gain, power, std = (part.numpy() for part in seen)
    gain = np.broadcast_to(gain, message.shape)
    if group.uplink.exact:
        return Observation(before, message, message, model, gradient, np.ones(message.shape, bool), gain)
    noise = complex_normal(rng, message.shape[1:], 2 * std**2)
    gains = np.asarray(on_elements(gains[..., None], message.shape[1]))[..., 0]
    heard = np.sum(gains * np.sqrt(power) * message, axis=0) + noise
    spoke = np.broadcast_to(power > 0, message.shape)
    return Observation(before, total, np.stack([heard.real, heard.imag]), model, gradient, spoke, gain)


def _deviation(radio: Radio, sent: Sent) -> Tensor:
    """Of the real part of the receiver's noise over the sum, where all send at common power. Shape [runs]."""
    return radio.noise_std * amplification(sent.largest, radio)


def _radiated(link: Link, message: Tensor) -> Tensor:
    """Messages as workers radiate them, before precoding. Shape [workers, d, runs]."""
    norm = getattr(link, "expected_norm", None)
    return message if norm is None else shortened(message, norm)


@xla.kept
def compiled(form: Form) -> Any:
    """A form's iteration, ``(state, columns, chunk, b, i)`` -> the state after it, what first messages go as, their sum
    as received, models, gradients, gains, transmit powers, and the deviation of the receiver's noise over that sum."""

    @tf.function(autograph=False)
    def step(state: Any, columns: Columns, chunk: Chunk, b: Any, i: Any) -> tuple:
        program = Program(form, columns, chunk)
        channel = chunk.channel.each(lambda part: part[b])
        prepared = prepare(form, program.problem((b, 0)), channel.gain, columns.parameters)
        given = program.given((b, i), channel, prepared)
        now = round_of(form, state.heard[0], given)
        local = form.method.local_update(as_heard(form, state, given), state.client, now)
        link, gain = on_air(form, state.server, given)
        messages = form.method.upload(local, now._replace(gain=gain))
        (sent, *_) = put(form.method, link, messages)
        total, symbols = link.received(sent).total, _radiated(link, messages[0])
        elements = given.problem.start.shape[1]
        power = channel.power if form.uplink.exact else on_elements(channel.power, elements)
        after, _ = form.apart(lambda: exchange(form, state, local, given, now))
        slope = given.problem.gradient(local.done.theta).slope
        std = tf.zeros([1]) if form.uplink.exact else _deviation(given.link.radio, sent)
        found = (symbols, total, local.done.theta, slope, gain, power)
        return after, *(part[..., 0] for part in found), std[0]

    return step
