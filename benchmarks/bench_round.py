"""Time of an A-SFADMM round in the paper's setting against its least arithmetic, and against plain Keras loops.

The setting is 100 workers, 20 Adam steps and batches of 100 on MNIST. All times come from this process, each a median.
The floor is the 2·(3d − d_1) floating-point operations of the matrix products for a sample (of the first layer, with
d_1 weights, no gradient by its inputs is needed) at the rate of a large single-precision product measured beside it.
"""

import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import otafl  # first, as it quietens TensorFlow

# isort: split
import keras
import numpy as np
import tensorflow as tf

from benchmarks.groups import first_group
from benchmarks.peak_memory import own_peak_mebibytes, peak_mebibytes
from otafl.engine import simulate as engine
from otafl.engine.executors import Resident
from otafl.engine.group import Group
from otafl.problems.classification import Classification
from otafl.problems.training_task import Training
from otafl.training.learner import Learner

REPEATS = 5
ROUNDS = 5
FLOOR_SIZE = 2048
OVERRIDES = {"method": "A-SFADMM", "run.seeds": 1, "run.iterations": ROUNDS * (REPEATS + 1)}
OVERRIDES |= {"channel.coherence_iterations": float(ROUNDS)}


def main() -> None:
    """Print the ratios."""
    group = prepared({})
    compile_s, round_s, floor_s = rounds(group)
    training_s, half_s = training(group), training(prepared({"run.precision": "bfloat16"}))
    devices = [device.name for device in tf.config.list_physical_devices("GPU")] or ["CPU"]
    print(
        f"one A-SFADMM round on {devices[0]}: {round_s:.3f} s, {1 / round_s:.2f} rounds/s; "
        f"{compile_s:.1f} s the first, compiled without a kept program"
    )
    print(f"  {round_s / floor_s:.2f} x the floor of {floor_s:.3f} s ({work(group) / floor_s / 1e9:.0f} GFLOP/s)")
    print(
        f"  of which local training {training_s / floor_s:.2f} x; all else {1 - training_s / round_s:.0%} of the round"
    )
    print(f"  local training in bfloat16: {half_s / training_s:.2f} x the time of float32")
    batch_s = training(prepared({"run.worker_chunk": group.workers}))
    print(f"  local training with all workers in one batch: {batch_s / training_s:.2f} x the time of one at a time")
    for workers, wanted in ((group.workers, 1.6), (1000, 6.0)):
        peak = peak_mebibytes("benchmarks.bench_round", workers) * 2**20 / 1e9
        print(f"  peak resident memory with {workers:,} workers: {peak:.2f} GB   (wanted: at most {wanted})")
    report("Keras train_on_batch", keras_loop(group), round_s)
    report("compiled steps (tf.function)", step_loop(group, xla=False), round_s)
    report("compiled steps (XLA)", step_loop(group, xla=True), round_s)


def report(name: str, seconds: float, round_s: float) -> None:
    """Print the time of a loop and its ratio."""
    print(f"  loop over workers of {name}: {seconds:.2f} s, {seconds / round_s:.1f} x a round")


def prepared(overrides: dict) -> Group:
    """Return the group of the setting's single run."""
    scenario = otafl.load("mnist_communication").override(OVERRIDES | overrides)
    return first_group(scenario)


def work(group: Group) -> float:
    """Return the number of floating-point operations of a round's matrix products, forward and backward."""
    how = learner(group)
    sizes = [float(np.prod(shape)) for shape in how.network.shapes]
    return 2.0 * group.workers * how.steps * how.batch_size * (3 * sum(sizes) - sizes[0])


def learner(group: Group) -> Learner:
    """Return the learner of a group's networks."""
    assert group.task.learner
    return group.task.learner


def rounds(group: Group) -> tuple[float, float, float]:
    """Return the times of the first call, which compiles and does one round, of a round, and of the floor [s].

    The floor is measured after each call.
    """
    executor, pool = Resident(group), ThreadPoolExecutor(1)
    one_round, *inputs = (drawn.inputs for drawn in executor.inputs())
    one_round = {some: chunk._replace(lengths=tf.ones_like(chunk.lengths)) for some, chunk in one_round.items()}
    first = timed(lambda: executor.advance(one_round, pool))
    both = [(timed(lambda i=chunk: executor.advance(i, pool)) / ROUNDS, work(group) / sgemm_rate()) for chunk in inputs]
    round_s, floor_s = (statistics.median(times) for times in zip(*both, strict=True))
    return first, round_s, floor_s


def sgemm_rate() -> float:
    """Return the rate of TensorFlow's large products of float32 matrices [operations/s]."""
    left, right = (tf.random.stateless_normal((FLOOR_SIZE, FLOOR_SIZE), (seed, 0)) for seed in range(2))
    tf.matmul(left, right).numpy()
    return 2 * FLOOR_SIZE**3 / statistics.median(timed(lambda: tf.matmul(left, right).numpy()) for _ in range(REPEATS))


def training(group: Group) -> float:
    """Return the time of a round's local training alone [s]."""
    task = cast(Training, group.task)
    shared, own = task.shared(np.array([0])), task.own(np.arange(group.workers))
    problem = Classification(learner(group), shared, own, tf.constant(0), None)
    theta = tf.repeat(problem.start, group.workers, axis=0)
    weight, dual = 0.5 * tf.ones_like(theta), tf.zeros_like(theta)

    @tf.function(autograph=False)
    def train(iteration: tf.Tensor) -> tf.Tensor:
        return problem._replace(iteration=iteration).solve(theta, dual, weight, problem.start).theta

    train(tf.constant(0))
    return statistics.median(timed(lambda k=k: train(tf.constant(k)).numpy()) for k in range(1, REPEATS + 1))


class Pull(keras.regularizers.Regularizer):
    """Regulariser ⟨μ, θ⟩ + ½ Σ w(θ − Θ)² of a layer's weights, with variables that a loop over workers sets."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.dual, self.weight, self.anchor = (tf.Variable(tf.zeros(shape)) for _ in range(3))

    def __call__(self, weights: tf.Tensor) -> tf.Tensor:
        weights = tf.convert_to_tensor(weights)
        away = weights - self.anchor
        return tf.reduce_sum(self.dual * weights) + 0.5 * tf.reduce_sum(self.weight * away * away)


class Loop:
    """Round of local training as a Python loop over the workers and steps of A-SFADMM.

    One model serves all workers: its weights, the slots of Adam and the penalty are set again for each of them.
    """

    def __init__(self, group: Group) -> None:
        self.group, self.learner = group, learner(group)
        task = cast(Training, group.task)
        own, features = task.own(np.arange(group.workers)), task.shared(np.array([0])).features[0].numpy()
        self.images, self.labels = features[own.index].astype(np.float32) * self.learner.scale, own.targets.numpy()
        self.pulls = [Pull(shape) for shape in self.learner.network.shapes]
        self.model = self._model()
        self.start = self.model.get_weights()
        self.optimizer = keras.optimizers.Adam(0.01)
        self.rng = np.random.default_rng(0)

    def _model(self) -> keras.Model:
        widths = [shape[1] for shape in self.learner.network.shapes]
        activations = ["relu"] * (len(widths) - 1) + [None]
        layers = [
            keras.layers.Dense(width, activation=activation, use_bias=False, kernel_regularizer=pull)
            for width, activation, pull in zip(widths, activations, self.pulls, strict=True)
        ]
        return keras.Sequential([keras.Input(self.images.shape[2:]), keras.layers.Flatten(), *layers])

    def seconds(self, step: Callable[[np.ndarray, np.ndarray], object]) -> float:
        """Return the time of a round with a given step on a mini-batch [s]."""
        self.one_worker(step, 0)
        return statistics.median(
            timed(lambda: [self.one_worker(step, n) for n in range(self.group.workers)]) for _ in range(REPEATS)
        )

    def one_worker(self, step: Callable[[np.ndarray, np.ndarray], object], worker: int) -> list[np.ndarray]:
        """Train one worker from the start and return its weights."""
        self.model.set_weights(self.start)
        for pull, weights in zip(self.pulls, self.start, strict=True):
            pull.weight.assign(np.full_like(weights, 0.5))
            pull.anchor.assign(weights)
        for variable in self.optimizer.variables[2:]:
            variable.assign(tf.zeros_like(variable))
        order = np.concatenate([self.rng.permutation(self.images.shape[1]) for _ in range(self.learner.passes)])
        for s in range(self.learner.steps):
            index = order[s * self.learner.batch_size : (s + 1) * self.learner.batch_size]
            step(self.images[worker, index], self.labels[worker, index])
        return self.model.get_weights()


def keras_loop(group: Group) -> float:
    """Return the time of a round with Keras' ``train_on_batch`` [s]."""
    loop = Loop(group)
    loop.model.compile(loop.optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return loop.seconds(loop.model.train_on_batch)


def step_loop(group: Group, xla: bool) -> float:
    """Return the time of a round with one compiled step of one worker [s]."""
    loop = Loop(group)
    loop.optimizer.build(loop.model.trainable_variables)

    @tf.function(autograph=False, jit_compile=xla)
    def step(inputs: tf.Tensor, targets: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            fit = tf.reduce_mean(loop.learner.loss(loop.model(inputs), targets))
            loss = fit + tf.add_n(loop.model.losses)
        loop.optimizer.apply(tape.gradient(loss, loop.model.trainable_variables), loop.model.trainable_variables)

    return loop.seconds(lambda inputs, targets: step(tf.constant(inputs), tf.constant(targets)))


def timed(compute: Callable[[], object]) -> float:
    """Return the time of a call [s]."""
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


if __name__ == "__main__":
    if len(sys.argv) > 1:
        engine.simulate(prepared({"federation.workers": int(sys.argv[1]), "run.iterations": 4}))
        print(own_peak_mebibytes())
    else:
        main()
