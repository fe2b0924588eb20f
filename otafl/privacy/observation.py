"""Observations of a run: signals at the server and at an eavesdropper, with the workers' models and gradients."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from otafl.channels.noise import complex_normal
from otafl.engine.group import Group
from otafl.engine.iteration import RoundDone
from otafl.engine.round_by_round import observed
from otafl.federation.round_draw import on_elements
from otafl.numerics import seeds
from otafl.numerics.tensors import Tensor


class Observation(NamedTuple):
    """Signals of an iteration at the server and at an eavesdropper, and workers' models of d elements; all are real."""

    known: np.ndarray
    """Global model before the iteration, which everyone hears. Shape [d]."""
    received: np.ndarray
    """First vector at the server: the sum over the air in their unit, [1, d], or digital messages, [workers, d]."""
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
    rng, block = seeds.generator(group.seeds[0], "eavesdropper"), -1
    for number, before, seen in observed(group, _tap):
        if number // group.coherence != block:
            block, gains = number // group.coherence, complex_normal(rng, (group.workers, group.uplink.in_use))
        yield _observation(group, before.server.model.numpy()[0, :, 0], seen, gains, rng)


def _observation(
    group: Group, before: np.ndarray, seen: tuple, gains: np.ndarray, rng: np.random.Generator
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
    return Observation(before, received, overheard, model, gradient, spoke, gain)


def _tap(done: RoundDone) -> tuple[Tensor, ...]:
    """Return what the program of an iteration computes of an observation, with runs on the last axis."""
    now, up, theta = done.now, done.upload, done.local.done.theta
    symbols, total = up.link.radiated(up.messages[0]), up.link.received(up.sent[0]).total
    slope, power = now.problem.gradient(theta).slope, up.link.draw.channel.power  # power of a message of 1
    return symbols, total, theta, slope, now.gain, power, up.link.deviation(up.sent[0])
