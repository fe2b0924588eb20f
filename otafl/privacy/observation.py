"""Observations of a run: signals at the server and at an eavesdropper, with the workers' models and gradients."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl.channels.noise import complex_normal
from otafl.engine.executors import Resident, scatter
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk
from otafl.engine.iteration import Columns, ProgramSpec, RoundDone, State, iterate, prepare
from otafl.engine.runtime import program_cache
from otafl.federation.round_draw import on_elements
from otafl.numerics import compilation, seeds
from otafl.numerics.tensors import Tensor

program_cache.cache()


class Observation(NamedTuple):
    """Signals of an iteration at the server and at an eavesdropper, and workers' models of d elements; all are real."""

    known: np.ndarray
    """Global model before the iteration, which everyone hears. Shape [d]."""
    received: np.ndarray
    """First vector at the server: the sum over the air in the unit of the messages, [1, d], or the digital message of
    each worker, [workers, d]."""
    overheard: np.ndarray
    """First vector at an eavesdropper: real and imaginary part of the sum through independent Rayleigh fading, [2, d],
    or the digital messages, which it decodes as the server does, [workers, d]."""
    model: np.ndarray
    """Model of each worker. Shape [workers, d]."""
    gradient: np.ndarray
    """Gradient at each worker's model over all of its samples. Shape [workers, d]."""
    spoke: np.ndarray
    """True if a worker sends at an element, as the server knows. Shape [workers, d]."""
    gain: np.ndarray
    """Power gain |h|² of each worker where the method weighs by it, else 1; the server knows the sum. [workers, d]."""


def observe(group: Group) -> Iterator[Observation]:
    """Simulate a run; yield the signals, models and gradients of each iteration."""
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
    message, total, model, gradient, gain, power, std = (part.numpy() for part in seen)
    gain = np.broadcast_to(gain, message.shape)
    received = overheard = message
    spoke = np.broadcast_to(group.uplink.exact or power > 0, message.shape)
    if not group.uplink.exact:
        noise = complex_normal(rng, message.shape[1:], 2 * std**2)
        gains = np.asarray(on_elements(gains[..., None], message.shape[1]))[..., 0]
        heard = np.sum(gains * np.sqrt(power) * message, axis=0) + noise
        received, overheard = total, np.stack([heard.real, heard.imag])
    return Observation(
        known=before, received=received, overheard=overheard, model=model, gradient=gradient, spoke=spoke, gain=gain
    )


@compilation.programs
def compiled(form: ProgramSpec) -> Callable:
    """Return the compiled iteration i of block b of a chunk: its next state, and what ``_tap`` reads of one run."""

    @tf.function(autograph=False)
    def step(state: State, columns: Columns, chunk: Chunk, b: Tensor, i: Tensor) -> tuple:
        draw = chunk.draws.at(b, i)
        after, _, _, seen = iterate(form, state, columns, draw, prepare(form, columns, draw), _tap)
        return after, *(part[..., 0] for part in seen)

    return step


def _tap(done: RoundDone) -> tuple[Tensor, ...]:
    """Return what the program of an iteration computes of an observation, with runs on the last axis."""
    now, up, theta = done.now, done.upload, done.local.done.theta
    symbols, total = up.link.radiated(up.messages[0]), up.link.received(up.sent[0]).total
    slope, power = now.problem.gradient(theta).slope, up.link.draw.channel.power  # power of a message of 1
    return symbols, total, theta, slope, now.gain, power, up.link.deviation(up.sent[0])
