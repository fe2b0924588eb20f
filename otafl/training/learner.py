"""Local training: a few workers at a time, each on its own samples.

Arrays have the workers on their first axis. On a processor one worker at a time is fastest, since its model stays in
the core's cache; on a GPU all at once.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.arrays import Tensor
from otafl.fusion import fused
from otafl.training import batches
from otafl.training.networks import Network
from otafl.training.optimizers import Optimizer

Loss = Callable[[Tensor, Tensor], Tensor]
"""Losses of samples [...] from a network's outputs [..., outputs] and targets [...]."""


class Samples(NamedTuple):
    """The samples of n workers.

    Arguments:
        features: in ``Learner.scale`` units, uint8 or float32. Shape [n, places, ...].
        targets: Shape [n, places].
        count: how many of the places hold a sample. Shape [n].
        order: the order in which training reads them, one of ``batches.order``.
    """

    features: Tensor
    targets: Tensor
    count: Tensor
    order: Tensor


class Penalty(NamedTuple):
    """What is added to the local loss, ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)².

    Arguments:
        dual: μ. Shape [n, d].
        weight: w. Shape [n, d].
        anchor: Θ. Shape [n or 1, d].
    """

    dual: Tensor
    weight: Tensor
    anchor: Tensor


@dataclass(frozen=True)
class Learner:
    """How networks are trained; what shapes a program.

    Arguments:
        network: the model.
        loss: of a sample.
        optimizer: its slots are fresh in every round.
        scale: what features are multiplied by.
        batch_size: samples in a mini-batch.
        steps: local steps in a round.
        chunk: how many workers are trained at once, in each of the parts.
        parts: in how many parts of the workers training goes on at the same time.
        passes: how often a worker may pass over its samples in a round.
    """

    network: Network
    loss: Loss
    optimizer: Optimizer
    scale: float
    batch_size: int
    steps: int
    chunk: int
    parts: int
    passes: int

    def order(self, key: Tensor, iteration: Tensor, count: Tensor, places: int) -> Tensor:
        """The order in which workers read their samples in a round."""
        shape = (count.shape[0], self.passes, places)
        return self._in_parts(lambda part: (batches.order(key, iteration, count, shape, part),), count.shape[0])[0]

    def train(self, samples: Samples, theta: Tensor, penalty: Penalty, rate: Tensor) -> tuple[Tensor, Tensor]:
        """``steps`` steps on f_n(θ) and the penalty from θ; returns models [n, d] and losses [n].

        The losses are means over the steps of f_n on the mini-batch, before the step.
        """

        def group(samples: Samples, theta: Tensor, penalty: Penalty) -> tuple[Tensor, Tensor]:
            linear = self.network.unflatten(penalty.dual - penalty.weight * penalty.anchor)
            weight = self.network.unflatten(penalty.weight)

            def step(s: Tensor, weights: list, slots: list, total: Tensor) -> tuple:
                loss, grads = self._gradient(weights, *self._batch(samples, s))
                grads = [g + a + b * w for g, a, b, w in zip(grads, linear, weight, weights, strict=True)]
                weights, slots = self.optimizer.update(weights, slots, grads, rate, s + 1)
                return s + 1, weights, slots, total + loss

            weights = self.network.unflatten(theta)
            start = (tf.constant(0), weights, self.optimizer.slots(weights), tf.zeros_like(theta[:, 0]))
            _, weights, _, total = _repeat(step, start, self.steps)
            return self.network.flatten(weights), total / self.steps

        return self._by_groups(group, samples, theta, penalty)

    def sampled_gradient(self, samples: Samples, theta: Tensor) -> tuple[Tensor, Tensor]:
        """∇f_n(θ_n) on one mini-batch, [n, d], and the losses on it, [n]."""

        def group(samples: Samples, theta: Tensor) -> tuple[Tensor, Tensor]:
            batch = self._batch(samples, tf.constant(0))
            loss, grads = self._gradient(self._weights(samples, theta), *batch)
            return self.network.flatten(grads), loss

        return self._by_groups(group, samples, theta)

    def gradient(self, samples: Samples, theta: Tensor) -> tuple[Tensor, Tensor]:
        """∇f_n(θ_n) on all of a worker's samples, [n, d], and the losses f_n, [n]."""
        places = samples.targets.shape[1]

        def group(samples: Samples, theta: Tensor) -> tuple[Tensor, Tensor]:
            weights = self._weights(samples, theta)

            def add(s: Tensor, grads: list, total: Tensor) -> tuple:
                place = s * self.batch_size + tf.range(self.batch_size)
                inside = tf.cast(place < samples.count[:, None], theta.dtype)
                index = tf.broadcast_to(tf.minimum(place, places - 1), inside.shape)
                share = inside / tf.cast(samples.count, theta.dtype)[:, None]
                loss, more = self._gradient(weights, *self._rows(samples, index), share)
                return s + 1, [old + new for old, new in zip(grads, more, strict=True)], total + loss

            start = (tf.constant(0), [tf.zeros_like(weight) for weight in weights], tf.zeros(samples.targets.shape[:1]))
            _, grads, total = tf.while_loop(lambda s, *_: s * self.batch_size < places, add, start)
            return self.network.flatten(grads), total

        return self._by_groups(group, samples, theta)

    def _by_groups(self, compute: Callable, samples: Samples, *arrays: Any) -> tuple[Tensor, Tensor]:
        """Apply a function of workers' arrays to ``chunk`` workers at a time, and join its results [n, d] and [n]."""
        elements = self.network.elements

        def part(workers: range) -> tuple[Tensor, Tensor]:
            size = min(self.chunk, len(workers))
            count, rest = divmod(len(workers), size)

            def group(start: Any, length: int) -> tuple:
                return compute(*tf.nest.map_structure(lambda leaf: _rows_from(leaf, start, length), (samples, *arrays)))

            def body(i: Tensor, vectors: tf.TensorArray, losses: tf.TensorArray) -> tuple:
                vector, loss = group(workers.start + i * size, size)
                return i + 1, vectors.write(i, vector), losses.write(i, loss)

            written = [tf.TensorArray(tf.float32, count, element_shape=shape) for shape in ([size, elements], [size])]
            _, *written = tf.while_loop(lambda i, *_: i < count, body, (tf.constant(0), *written))
            vectors, losses = (tf.reshape(array.stack(), [-1, *array.element_shape[1:]]) for array in written)
            if not rest:
                return vectors, losses
            vector, loss = group(workers.stop - rest, rest)
            return tf.concat([vectors, vector], axis=0), tf.concat([losses, loss], axis=0)

        return self._in_parts(part, samples.targets.shape[0])

    def _in_parts(self, compute: Callable[[range], tuple], workers: int) -> tuple:
        """Do something for all workers in parts that a processor's cores take at the same time."""
        edges = np.linspace(0, workers, self.parts + 1).round().astype(int)
        parts = [range(start, stop) for start, stop in itertools.pairwise(edges.tolist())]
        done = [fused(functools.partial(compute, part)) for part in parts]
        return done[0] if len(done) == 1 else tuple(tf.concat(results, axis=0) for results in zip(*done, strict=True))

    def outputs(self, theta: Tensor, features: Tensor) -> Tensor:
        """The network's outputs on features [samples, ...] under weights [d]. Shape [samples, outputs]."""
        return self.network.apply(self.network.unflatten(theta), self._inputs(features))

    def _weights(self, samples: Samples, theta: Tensor) -> list:
        """Weights for every worker from models [n or 1, d]."""
        return self.network.unflatten(tf.broadcast_to(theta, [samples.targets.shape[0], self.network.elements]))

    def _batch(self, samples: Samples, step: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs and targets of a step's mini-batch."""
        start = [0, step * self.batch_size]
        return self._rows(samples, tf.slice(samples.order, start, [samples.order.shape[0], self.batch_size]))

    def _rows(self, samples: Samples, index: Tensor) -> tuple[Tensor, Tensor]:
        features = tf.gather(samples.features, index, batch_dims=1)
        return self._inputs(features), tf.gather(samples.targets, index, batch_dims=1)

    def _inputs(self, features: Tensor) -> Tensor:
        return tf.cast(features, tf.float32) * self.scale

    def _gradient(self, weights: list, inputs: Tensor, targets: Tensor, share: Tensor = None) -> tuple[Tensor, list]:
        """Losses Σ_i share_i · loss_i of workers and their gradients; without ``share`` the mean."""
        if share is None:
            share = tf.fill(targets.shape, 1 / targets.shape[1])
        if targets.shape[0] > 1:
            return tf.vectorized_map(lambda one: self._single_gradient(*one), (weights, inputs, targets, share))
        loss, grads = self._single_gradient([weight[0] for weight in weights], inputs[0], targets[0], share[0])
        return loss[None], [grad[None] for grad in grads]

    def _single_gradient(self, weights: list, inputs: Tensor, targets: Tensor, share: Tensor) -> tuple[Tensor, list]:
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = tf.reduce_sum(share * self.loss(self.network.apply(weights, inputs), targets))
        return loss, tape.gradient(loss, weights, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def _repeat(step: Callable, start: tuple, times: int) -> tuple:
    """A step done several times. Two in one body let a compiler hand the loop's arrays over without copying them."""
    _, *state = tf.while_loop(
        lambda s, *_: s < times - times % 2, lambda *state: step(*step(*state)), start, parallel_iterations=1
    )
    state = (tf.constant(times - times % 2), *state)
    return step(*state) if times % 2 else state


def _rows_from(leaf: Tensor, start: Any, length: int) -> Tensor:
    """The rows of some workers; one row is that of all."""
    if leaf.shape[0] == 1:
        return leaf
    return tf.slice(leaf, [start, *[0] * (len(leaf.shape) - 1)], [length, *leaf.shape[1:]])
