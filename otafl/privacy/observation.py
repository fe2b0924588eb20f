"""Observations of a run: signals at the server and at an eavesdropper, with the workers' models and gradients."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.channels.noise import complex_normal
from otafl.engine.executors import Resident, scatter
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk
from otafl.engine.iteration import Columns, ProgramSpec, RoundDone, iterate, prepare
from otafl.engine.runtime import program_cache
from otafl.federation.round_draw import on_elements
from otafl.numerics import compilation, seeds
from otafl.numerics.tensors import Tensor

program_cache.prepare()


class Observation(NamedTuple):
    """Signals of one iteration of a run at the server and at an eavesdropper, with the workers' models and gradients.

    A model has d elements; all values are real.

    Arguments:
        known: global model before the iteration, which everyone hears. Shape [d].
        received: first vector of the upload at the server: the sum over the air in the unit of the messages, [1, d], or
            the digital message of each worker, [workers, d].
        overheard: first vector at an eavesdropper: real and imaginary part of the sum through independent Rayleigh
            fading, [2, d], or the digital messages, which it decodes as the server does, [workers, d].
        model: model of each worker. Shape [workers, d].
        gradient: gradient at each worker's model over all of its samples. Shape [workers, d].
        spoke: True if a worker sends at an element, as the server knows. Shape [workers, d].
        gain: power gain |h|² of each worker where the method weighs by it, else 1; the server knows the sum. Shape
            [workers, d].
    """

    known: np.ndarray
    received: np.ndarray
    overheard: np.ndarray
    model: np.ndarray
    gradient: np.ndarray
    spoke: np.ndarray
    gain: np.ndarray


def observe(group: Group) -> Iterator[Observation]:
    """Simulate a run; yield the signals, models and gradients of each iteration.

    Arguments:
        group: group of one run, in which all workers take part in every round.
    """
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
    """Return the observation of an iteration from the outputs of its program."""
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
def compiled(form: ProgramSpec) -> Any:
    """Return the compiled iteration of a program, a function of ``(state, columns, chunk, b, i)``.

    Its arguments are the state of server and workers, the data and parameters of each run, the draws of some coherence
    blocks, the number of the block among them, and that of the iteration in the block. It returns the next state, the
    first messages as sent, [workers, d] for d elements, and their sum as received, [1, d]. Models and gradients,
    [workers, d], power gains |h|² by which the method weighs, transmit powers of a message of 1 before the common
    factor of power control, and the standard deviation of the receiver's noise in the sum follow; these three broadcast
    to [workers, d].

    Arguments:
        form: specification of the program: method, problem and uplink.
    """

    @tf.function(autograph=False)
    def step(state: Any, columns: Columns, chunk: Chunk, b: Any, i: Any) -> tuple:
        draw = chunk.draws.at(b, i)
        after, _, _, seen = iterate(form, state, columns, draw, prepare(form, columns, draw), _tap)
        return after, *(part[..., 0] for part in seen)

    return step


def _tap(done: RoundDone) -> tuple[Tensor, ...]:
    """Return the parts of an observation that the program of an iteration computes, with runs on the last axis."""
    now, up = done.now, done.upload
    symbols, total = up.link.radiated(up.messages[0]), up.link.received(up.sent[0]).total
    theta = done.local.done.theta
    slope = now.problem.gradient(theta).slope
    return symbols, total, theta, slope, now.gain, up.link.draw.channel.power, up.link.deviation(up.sent[0])
