"""What the server and an eavesdropper elsewhere receive in a run, and what workers would rather keep to themselves."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from channels.noise import complex_normal
from otafl import seeds, xla
from otafl.algorithms.protocol import Local, Round
from otafl.arrays import Tensor
from otafl.engine.executors import Resident, scatter
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk
from otafl.engine.iteration import Columns, ProgramSpec, Uploading, iterate, prepare
from otafl.engine.runtime import program_cache
from otafl.round_draw import on_elements

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
                now = int(chunk.draws.number[b, i])
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


@xla.kept
def compiled(form: ProgramSpec) -> Any:
    """A form's iteration, ``(state, columns, chunk, b, i)`` -> the state after it, what first messages go as, their sum
    as received, models, gradients, gains, transmit powers, and the deviation of the receiver's noise over that sum."""

    @tf.function(autograph=False)
    def step(state: Any, columns: Columns, chunk: Chunk, b: Any, i: Any) -> tuple:
        draw = chunk.draws.at(b, i)
        after, _, seen = iterate(form, state, columns, draw, prepare(form, columns, draw), _tap)
        return after, *(part[..., 0] for part in seen)

    return step


def _tap(local: Local, now: Round, up: Uploading) -> tuple[Tensor, ...]:
    """Return the parts of an observation that programs compute, runs on the last axis."""
    symbols, total = up.link.radiated(up.messages[0]), up.link.received(up.sent[0]).total
    theta = local.done.theta
    slope = now.problem.gradient(theta).slope
    return symbols, total, theta, slope, now.gain, up.link.draw.channel.power, up.link.deviation(up.sent[0])
