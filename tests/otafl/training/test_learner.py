"""Local training against Keras, finite differences, exact minimisers and itself in another form."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.problems.classification import Classification
from otafl.problems.training_task import Training
from otafl.training import batches
from otafl.training.networks import Network
from tests.otafl.small import dotted, settings_of
from tests.otafl.training.stacked import stacked
from tests.rounding import SINGLE, assert_close

WORKERS = 5
RNG = np.random.default_rng(0)


def classification(**keys) -> Classification:
    base = {"method": "A-SFADMM", "federation.workers": WORKERS, "local.batch_size": 30}
    chosen = settings_of("digits_quickstart", base | dotted(keys))
    training = Training(chosen, METHODS[chosen.method], [3])
    shared, own = training.shared(np.array([0])), training.own(np.arange(chosen.federation.workers))
    return Classification(training.learner, shared, own, tf.constant(0), None)


def own_samples(problem: Classification, n: int) -> tuple[np.ndarray, np.ndarray]:
    return problem.shared.features[0].numpy()[problem.own.index[n]], problem.own.targets[n].numpy()


def compiled(compute):
    return tf.function(compute, jit_compile=False, autograph=False)()


def random_penalty(elements: int) -> tuple[np.ndarray, ...]:
    """A dual, weights, an anchor and a start, with an axis for the run."""
    shape = (WORKERS, elements, 1)
    dual, weight = 0.01 * RNG.standard_normal(shape), RNG.uniform(0.1, 1.0, shape)
    anchor, start = 0.1 * RNG.standard_normal((1, elements, 1)), 0.1 * RNG.standard_normal(shape)
    return tuple(array.astype(np.float32) for array in (dual, weight, anchor, start))


KERAS = {
    "adam": keras.optimizers.Adam,
    "sgd": keras.optimizers.SGD,
    "momentum": lambda rate: keras.optimizers.SGD(rate, momentum=0.9),
}


L2, L1 = keras.regularizers.L2(0.05), keras.regularizers.L1(0.01)
regularised = stacked(
    lambda outputs: [
        keras.layers.Dense(32, activation="relu", kernel_regularizer=L2),
        keras.layers.Dense(outputs, kernel_regularizer=L1, bias_regularizer=L2),
    ]
)
"""The network mlp_small whose first matrix is kept small, whose second one sparse, with biases."""
REGULARISED = f"{__name__}:regularised"


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("model", "optimizer"),
    [
        ("mlp_small", "adam"),
        ("mlp_small", "sgd"),
        ("mlp_small", "momentum"),
        (REGULARISED, "adam"),
    ],
)
def test_training_equals_a_plain_loop_of_keras(model, optimizer):
    """Every worker's model after 4 steps on the same batches, the penalty and regularisers of weights in the loss."""
    problem = classification(local__optimizer=optimizer, local__steps=4, problem__model=model)
    dual, weight, anchor, start = random_penalty(problem.learner.network.elements)
    problem = problem._replace(iteration=tf.constant(4))
    theta, losses, _ = compiled(lambda: problem.solve(start, dual, weight, anchor))
    order = compiled(lambda: problem.samples.order).numpy()
    net, rate = problem.learner.network, float(problem.shared.rate[0])
    split = [net.unflatten(tf.constant(array[..., 0])) for array in (dual, weight, anchor, start)]
    for n in range(WORKERS):
        features, labels = own_samples(problem, n)
        model, opt, seen = net.build(), KERAS[optimizer](rate), []
        model.set_weights([part[n].numpy() for part in split[3]])
        for s in range(4):
            index = order[n, 30 * s : 30 * (s + 1)]
            x, y = tf.cast(features[index], tf.float32) / 16, labels[index]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, model(x), from_logits=True))
                loss += sum(model.losses)
                parts = zip(model.trainable_variables, split[0], split[1], split[2], strict=True)
                pulls = [(mu[n] * v, w[n] * (v - c[0]) ** 2) for v, mu, w, c in parts]
                total = loss + sum(tf.reduce_sum(a) + 0.5 * tf.reduce_sum(b) for a, b in pulls)
            opt.apply(tape.gradient(total, model.trainable_variables), model.trainable_variables)
            seen.append(float(loss))
        expected = np.concatenate([variable.numpy().reshape(-1) for variable in model.trainable_variables])
        distance = np.linalg.norm(theta[n, :, 0] - expected) / np.linalg.norm(expected - start[n, :, 0])
        assert distance < 1e-4
        assert losses[n, 0].numpy() == pytest.approx(np.mean(seen), rel=1e-4)


def test_regularisers_count_once_in_a_gradient_over_all_samples():
    """Workers have several batches, the last of another size: R's value and slope count once."""
    problem = classification(problem__model=REGULARISED, federation__partition="power_law")
    net = problem.learner.network
    theta = tf.constant(RNG.standard_normal((1, net.elements, 1)).astype(np.float32))
    slope, losses = compiled(lambda: problem.gradient(theta))
    plain = problem._replace(learner=dataclasses.replace(problem.learner, network=unregularised(net)))
    without, before = compiled(lambda: plain.gradient(theta))
    a, _, b, c = net.unflatten(theta[0, :, 0])
    value = 0.05 * np.sum(a**2) + 0.01 * np.abs(b).sum() + 0.05 * np.sum(c**2)
    np.testing.assert_allclose(losses - before, value, rtol=1e-4)
    parts = [0.1 * a, tf.zeros([32]), 0.01 * np.sign(b), 0.1 * c]
    added = net.flatten([tf.constant(part, tf.float32)[None] for part in parts])
    np.testing.assert_allclose((slope - without)[..., 0], np.broadcast_to(added, slope.shape[:2]), atol=1e-5)


def unregularised(net: Network) -> Network:
    model = net.build()
    for variable in model.trainable_variables:
        variable.regularizer = None
    return dataclasses.replace(net, model=model)


def forward64(theta: np.ndarray, x: np.ndarray, y: np.ndarray, shapes) -> float:
    """Mean cross-entropy of a bias-free ReLU network, in float64 NumPy."""
    hidden, place = x.reshape(len(x), -1), 0
    for layer, shape in enumerate(shapes):
        size = int(np.prod(shape))
        hidden = hidden @ theta[place : place + size].reshape(shape)
        hidden = np.maximum(hidden, 0) if layer < len(shapes) - 1 else hidden
        place += size
    highest = hidden.max(axis=1, keepdims=True)
    total = np.log(np.exp(hidden - highest).sum(axis=1)) + highest[:, 0]
    return float(np.mean(total - hidden[np.arange(len(y)), y]))


@pytest.mark.parametrize(("sampled", "relative", "absolute"), [(False, 1e-5, 1e-6), (True, 1e-3, 1e-4)])
def test_gradient_against_finite_differences_in_float64(sampled, relative, absolute):
    """Over all samples, or those of the first batch."""
    problem = classification()._replace(iteration=tf.constant(2))
    shapes, flat = problem.learner.network.shapes, problem.start[0, :, 0].numpy().astype(np.float64)
    slope, losses = compiled(lambda: (problem.sampled_gradient if sampled else problem.gradient)(problem.start))
    order = compiled(lambda: problem.samples.order).numpy()
    for n in range(WORKERS):
        places = order[n, :30] if sampled else slice(int(problem.own.count[n]))
        x, y = (values[places] for values in own_samples(problem, n))
        x = x / 16
        assert losses[n, 0].numpy() == pytest.approx(forward64(flat, x, y, shapes), rel=1e-5)
        for direction in np.random.default_rng(2).standard_normal((3, len(flat))):
            step = 1e-8 * direction  # so small that it hardly crosses a kink
            difference = forward64(flat + step, x, y, shapes) - forward64(flat - step, x, y, shapes)
            along = float(slope[n, :, 0].numpy().astype(np.float64) @ direction)
            assert along == pytest.approx(difference / 2e-8, rel=relative, abs=absolute)


@pytest.mark.slow
def test_chunks_of_workers_and_numbers_of_cores_train_the_same_models_and_bfloat16_nearly():
    """Chunks of two, which do not divide five workers; parts for each core change no bit."""
    problem = classification(run__worker_chunk=1)
    alone, some = minimised(problem), minimised(classification(run__worker_chunk=2))
    assert_close(some.theta, alone.theta, SINGLE)
    assert_close(some.losses, alone.losses, SINGLE)
    for parts in (1, 4):
        other = minimised(problem._replace(learner=dataclasses.replace(problem.learner, parts=parts)))
        np.testing.assert_array_equal(other.theta, alone.theta)
    half = minimised(classification(run__precision="bfloat16", run__worker_chunk=1))
    assert half.theta.dtype == tf.float32
    assert 0 < np.linalg.norm(half.theta - alone.theta) < 0.1 * np.linalg.norm(alone.theta)


def minimised(problem: Classification):
    """Models under the same penalty and start for every problem of a size."""
    workers = len(problem.own.count)
    values = np.random.default_rng(1).standard_normal((workers, problem.learner.network.elements, 1)).astype(np.float32)
    start = np.repeat(problem.start.numpy(), workers, axis=0)
    return compiled(lambda: problem.solve(start, 0.01 * values, np.abs(values), problem.start))


@pytest.mark.parametrize("counts", [[7, 7, 7], [5, 7, 6]])
def test_batches_read_every_sample_once_a_pass(counts):
    order = batches.order(tf.constant(9, tf.int64), tf.constant(2), tf.constant(counts), 4, 7).numpy()
    for row, count in zip(order, counts, strict=True):
        for turn in range(4):
            assert sorted(row[turn * count : (turn + 1) * count]) == list(range(count))
    assert not np.array_equal(order[0, : counts[0]], order[0, counts[0] : 2 * counts[0]])


def test_batches_are_uniform_and_differ_between_rounds_and_workers():
    draw = tf.function(lambda k: batches.order(tf.constant(5, tf.int64), k, tf.fill([2], 10), 1, 10)[..., :1])
    first = np.concatenate([draw(tf.constant(k)).numpy() for k in range(1000)], axis=1)
    for row in first:
        counts = np.bincount(row, minlength=10)
        assert np.sum((counts - 100) ** 2 / 100) < 33.7  # 99.99% of chi-squared with 9 degrees of freedom
    assert (first[0] != first[1]).mean() > 0.8
