"""Local training of a few workers at a time, each on its own samples.

Models are [workers, d], or [1, d] for one that is common to all. On a processor one worker at a time is fastest, since
its model stays in the core's cache; on a GPU all at once.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy, Minimiser
from otafl.numerics import compilation
from otafl.numerics.optimizers import Optimizer, Tensors
from otafl.numerics.tensors import Counts, FlatModels, Scalar, Tensor
from otafl.training import batches
from otafl.training.local import Loss, Penalty, Samples, Work
from otafl.training.loops import Groups, number, repeat, where

if TYPE_CHECKING:
    from otafl.training.networks import Network  # with Keras, which regressions do without

EVALUATED_TOGETHER = 1000
"""Samples in one pass of an evaluation through the network."""


@dataclass(frozen=True)
class Learner:
    """Settings of local training, which shape a program, and training by them.

    Arguments:
        scale: factor of the features, of all or of each channel (last axis). Length 1 or channels.
        shift: number added to scaled features, to all or to each channel. Length 1 or channels.
        steps: local steps in a round; 0: training is in epochs.
        chunk: number of workers trained at once in each of the parts.
        parts: number of parts of the workers that train at the same time, on a core each.
        passes: largest number of passes of a worker over its samples in a round.
        renews: True where every step has a mini-batch of its own; False where all steps of a round share one.
        fuses: True where XLA compiles the parts; it makes convolutions in loops slow on a processor.
    """

    network: "Network"
    loss: Loss
    optimizer: Optimizer
    scale: tuple[float, ...]
    shift: tuple[float, ...]
    batch_size: int
    steps: int
    chunk: int
    parts: int
    passes: int
    renews: bool = True
    fuses: bool = True

    def train(
        self, samples: Samples, theta: FlatModels, penalty: Penalty | None, rate: Tensor, work: Work | None = None
    ) -> Minimiser:
        """Train workers on their local losses f_n and a penalty, for ``steps`` steps, or as ``work`` says."""
        shapes = (self.network.elements,), (), ()
        return Minimiser(*self._by_groups(Learner._train, shapes, samples, theta, penalty, rate, work))

    def _train(
        self, samples: Samples, theta: FlatModels, penalty: Penalty | None, rate: Tensor, work: Work | None
    ) -> Minimiser:
        pull = pulled(self.network, penalty)

        def step(batch: tuple, count: Tensor, weights: list, slots: list, total: Tensor) -> tuple:
            loss, grads = self._gradient(samples, count, weights, *batch)
            weights, slots = self.optimizer.update(weights, slots, pull(grads, weights), rate[0], count)
            return weights, slots, total + loss

        weights = self._weights(samples, theta)
        start = (weights, self.optimizer.slots(weights), tf.zeros(samples.targets.shape[:1]))
        if work is None:
            weights, total, steps = self._steps(step, samples, start)
            epochs = self.steps * self.batch_size / samples.count
        else:
            weights, total, steps, epochs = self._epochs(step, samples, start, work, pull)
        losses = tf.math.divide_no_nan(total, tf.cast(steps, total.dtype))
        return Minimiser(self.network.flatten(weights), losses, tf.cast(epochs, total.dtype))

    def _steps(self, step: Callable, samples: Samples, start: tuple) -> tuple:
        """Make ``steps`` steps on consecutive batches; return weights, sums of losses, and the number of steps."""

        def advance(s: Scalar, *state: Tensor) -> tuple:
            batch = batches.at(samples, s if self.renews else tf.zeros_like(s), self.batch_size)
            return s + 1, *step(batch, s + 1, *state)

        _, weights, _, total = repeat(advance, (tf.constant(0), *start), self.steps)
        return weights, total, self.steps

    def _epochs(self, step: Callable, samples: Samples, start: tuple, work: Work, pull: Callable) -> tuple:
        """Pass over each worker's samples; return weights, sums of losses, numbers of steps and of passes."""
        most = -(-samples.count // self.batch_size)
        small = self._small_enough(samples, work.accuracy, pull)

        def epoch(e: Scalar, left: Counts, done: Counts, *before: Tensor) -> tuple:
            def advance(k: Scalar, *state: Tensor) -> tuple:
                after = step(batches.of_epoch(samples, e, k, self.batch_size), number(e * most + k + 1), *state)
                return k + 1, *where(left & (k < most), after, state)

            _, *state = repeat(advance, (tf.constant(0), *before), tf.reduce_max(most))
            done += tf.cast(left, done.dtype)
            return e + 1, left & (e + 1 < work.epochs) & ~small(state[0]), done, *state

        begin = (work.epochs > 0) & ~small(start[0])
        first = (tf.constant(0), begin, tf.zeros_like(work.epochs), *start)
        _, _, done, weights, _, total = tf.while_loop(lambda e, left, *_: tf.reduce_any(left), epoch, first)
        return weights, total, done * most, done

    def _small_enough(self, samples: Samples, accuracy: Accuracy | None, pull: Callable) -> Callable[[Tensors], Counts]:
        """Return a function from weights to True for each worker whose residual is small enough."""
        if accuracy is None:
            return lambda weights: tf.fill(samples.count.shape, False)

        def residual(weights: Tensors) -> Counts:
            slopes = pull(self._mean_gradient(samples, weights)[1], weights)
            return tf.sqrt(tf.add_n([tf.reduce_sum(slope**2, axis=range(1, len(slope.shape))) for slope in slopes]))

        most = accuracy.share * residual(self._weights(samples, accuracy.reference))
        return lambda weights: residual(weights) <= most

    def sampled_gradient(self, samples: Samples, theta: FlatModels) -> tuple[FlatModels, Counts]:
        """Return gradients ∇f_n(θ_n) and losses on one mini-batch of each worker."""
        return self._by_groups(Learner._sampled_gradient, ((self.network.elements,), ()), samples, theta)

    def _sampled_gradient(self, samples: Samples, theta: FlatModels) -> tuple[FlatModels, Counts]:
        first = batches.at(samples, tf.constant(0), self.batch_size)
        loss, grads = self._gradient(samples, tf.constant(0), self._weights(samples, theta), *first)
        return self.network.flatten(grads), loss

    def gradient(self, samples: Samples, theta: FlatModels) -> tuple[FlatModels, Counts]:
        """Return gradients ∇f_n(θ_n) and losses on all samples of each worker."""
        return self._by_groups(Learner._whole_gradient, ((self.network.elements,), ()), samples, theta)

    def _whole_gradient(self, samples: Samples, theta: FlatModels) -> tuple[FlatModels, Counts]:
        total, grads = self._mean_gradient(samples, self._weights(samples, theta))
        return self.network.flatten(grads), total

    def _mean_gradient(self, samples: Samples, weights: Tensors) -> tuple[Counts, Tensors]:
        """Return the losses f_n and their gradients over all of a worker's samples, a batch at a time."""
        places = samples.targets.shape[1]

        def add(s: Scalar, grads: Tensors, total: Counts) -> tuple:
            place = s * self.batch_size + tf.range(self.batch_size)
            inside = tf.cast(place < samples.count[:, None], tf.float32)
            index = tf.broadcast_to(tf.minimum(place, places - 1), inside.shape)
            share = inside / tf.cast(samples.count, tf.float32)[:, None]
            loss, more = self._gradient(samples, s, weights, *batches.rows(samples, index), share)
            return s + 1, [old + new for old, new in zip(grads, more, strict=True)], total + loss

        start = (tf.constant(0), [tf.zeros_like(weight) for weight in weights], tf.zeros(samples.targets.shape[:1]))
        _, grads, total = tf.while_loop(lambda s, *_: s * self.batch_size < places, add, start)
        return total, grads

    def all_outputs(self, samples: Samples, theta: FlatModels) -> Tensor:
        """Return the network's outputs on all samples of the workers. Shape [workers, slots, outputs]."""
        shapes = ((samples.targets.shape[1], self.network.outputs),)
        return self._by_groups(Learner._all_outputs, shapes, samples, theta)[0]

    def _all_outputs(self, samples: Samples, theta: FlatModels) -> tuple[Tensor]:
        place = tf.broadcast_to(tf.range(samples.targets.shape[1]), samples.targets.shape[:2])
        features, _ = batches.rows(samples, place)
        return (self._outputs_by_worker(samples, self._weights(samples, theta), features),)

    def _by_groups(
        self, compute: Callable, shapes: tuple[tuple[int, ...], ...], samples: Samples, *arrays: object
    ) -> Tensor:
        """Apply a method to the rows of ``chunk`` workers at a time, and join its results."""
        groups = Groups(samples.targets.shape[0], self.chunk)
        edges = np.linspace(0, groups.count, min(self.parts, groups.count) + 1).round().astype(int).tolist()
        counts = np.diff(edges).tolist()
        spans, rows = itertools.pairwise(map(tf.constant, edges)), (samples, *arrays)
        results = [compiled(self)(groups.workers, compute, span, max(counts), shapes, rows) for span in spans]
        return tuple(groups.joined(list(parts), counts) for parts in zip(*results, strict=True))

    def number_right(self, samples: Samples, theta: FlatModels) -> Counts:
        """Return the number of each worker's samples that a model classifies correctly, float32."""
        return self._by_groups(Learner._number_right, ((),), samples, theta)[0]

    def _number_right(self, samples: Samples, theta: FlatModels) -> tuple[Counts]:
        workers, places = samples.targets.shape
        size = min(EVALUATED_TOGETHER, places)
        weights = self._weights(samples, theta)

        def add(start: Scalar, right: Counts) -> tuple[Scalar, Counts]:
            place = start + tf.range(size)
            inside = place < samples.count[:, None]
            index = tf.broadcast_to(tf.minimum(place, places - 1), inside.shape)
            features, labels = batches.rows(samples, index)
            classes = tf.argmax(self._outputs_by_worker(samples, weights, features), axis=-1, output_type=tf.int32)
            return start + size, right + tf.math.count_nonzero((classes == labels) & inside, 1, dtype=tf.int32)

        start = (tf.constant(0), tf.zeros([workers], tf.int32))
        _, right = tf.while_loop(lambda start, _: start < places, add, start)
        return (tf.cast(right, tf.float32),)

    def _outputs_by_worker(self, samples: Samples, weights: Tensors, features: Tensor) -> Tensor:
        """Return the outputs of each worker's network on its features. Shape [workers, samples, outputs]."""
        outputs = [
            self.network.apply([weight[n] for weight in weights], self._inputs(features[n]), samples.base)
            for n in range(features.shape[0])
        ]
        return tf.stack(outputs)

    def outputs(self, theta: Tensor, features: Tensor) -> Tensor:
        """Return the outputs of one model, [d], for samples, such as logits. Shape [samples, outputs], float32."""
        return self.network.apply(self.network.unflatten(theta), self._inputs(features))

    def _weights(self, samples: Samples, theta: FlatModels) -> Tensors:
        return self.network.unflatten(tf.broadcast_to(theta, [samples.targets.shape[0], self.network.elements]))

    def _inputs(self, features: Tensor) -> Tensor:
        scaled = tf.cast(features, tf.float32) * self.scale
        return scaled + self.shift if any(self.shift) else scaled

    def _gradient(
        self, samples: Samples, step: Tensor, weights: Tensors, features: Tensor, targets: Tensor, share: Tensor = None
    ) -> tuple[Counts, Tensors]:
        """Return losses Σ_i share_i · loss_i of workers and their gradients; without ``share`` the mean."""
        single = functools.partial(self._single_gradient, samples)
        step = tf.broadcast_to(step, targets.shape[:1])
        if share is None:
            share = tf.fill(targets.shape[:2], 1 / targets.shape[1])
        if targets.shape[0] > 1:
            of_workers = (samples.index[:, 0], step), weights, features, targets, share
            return tf.vectorized_map(lambda of_worker: single(*of_worker), of_workers)
        at = samples.index[0, 0], step[0]
        loss, grads = single(at, [weight[0] for weight in weights], features[0], targets[0], share[0])
        return loss[None], [grad[None] for grad in grads]

    def _single_gradient(
        self,
        samples: Samples,
        at: tuple[Scalar, Scalar],
        weights: Tensors,
        features: Tensor,
        targets: Tensor,
        share: Tensor,
    ) -> tuple[Scalar, Tensors]:
        seed = samples.seed(*at)
        with tf.GradientTape() as tape:
            tape.watch(weights)
            outputs = self.network.apply(weights, self._inputs(features), samples.base, seed)
            losses = self.loss(outputs, targets)
            if self.network.regularised:
                losses += self.network.regularisation(weights, samples.base)
            loss = tf.reduce_sum(share * losses)
        grads = tape.gradient(loss, weights, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return loss, [tf.convert_to_tensor(grad) for grad in grads]  # those of embeddings are sparse


def pulled(network: "Network", penalty: Penalty | None) -> Callable[[Tensors, Tensors], Tensors]:
    """Return a function of gradients and weights that adds a penalty's gradient, where there is one."""
    if penalty is None:
        return lambda grads, weights: grads
    linear = network.unflatten(penalty.dual - penalty.weight * penalty.anchor)
    if penalty.weight.shape[-1] == 1:
        weight = [tf.reshape(penalty.weight, [-1, *[1] * len(shape)]) for shape in network.shapes]
    else:
        weight = network.unflatten(penalty.weight)
    return lambda grads, weights: [g + a + b * w for g, a, b, w in zip(grads, linear, weight, weights, strict=True)]


@compilation.programs
def compiled(learner: Learner) -> Callable:
    """Return the program that applies a learner's method to groups of workers, which all runs of a process share."""

    def _of_groups(workers: int, compute: Callable, *arguments: Any) -> tuple:
        return Groups(workers, learner.chunk).each(functools.partial(compute, learner), *arguments)

    return tf.function(_of_groups, jit_compile=learner.fuses, autograph=False)
