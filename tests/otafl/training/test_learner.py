"""Local training against Keras, finite differences, exact minimisers and itself in another form."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from otafl.data.regression import Regression
from otafl.engine import task
from otafl.problems import linear_regression
from otafl.problems.classification import Classification, cross_entropy
from otafl.settings.keys import Settings
from otafl.training import batches
from otafl.training.learner import Learner, Penalty, Samples
from otafl.training.networks import network
from otafl.training.optimizers import OPTIMIZERS

WORKERS = 5
RNG = np.random.default_rng(0)


def settings(**tables) -> Settings:
    """Digits with a small network on 5 workers."""
    base = {
        "method": "A-SFADMM",
        "problem": {"kind": "classification", "dataset": "digits", "model": "mlp_small"},
        "federation": {"workers": WORKERS},
        "local": {"batch_size": 30},
    }
    return Settings.model_validate(base | tables).resolved()


def classification(**tables) -> Classification:
    training = task.Training(settings(**tables), [3])
    return Classification(training.learner, *training.problem(np.array([0])))


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


@pytest.mark.parametrize("optimizer", KERAS)
@pytest.mark.parametrize("steps", [20, 7])
def test_training_equals_a_plain_loop_of_keras(optimizer, steps):
    """Every worker's model after some steps on the same batches, the penalty added to the loss, to 1e-4 relative."""
    problem = classification(local={"batch_size": 30, "optimizer": optimizer, "steps": steps})
    dual, weight, anchor, start = random_penalty(problem.learner.network.elements)
    theta, losses, _ = compiled(lambda: problem.at(4).minimise(None, weight, dual, anchor, start))
    order = compiled(lambda: problem.at(4).samples.order).numpy()
    net, rate = problem.learner.network, float(problem.rate[0])
    split = [net.unflatten(tf.constant(array[..., 0])) for array in (dual, weight, anchor, start)]
    for n in range(WORKERS):
        model, opt, seen = net.build(), KERAS[optimizer](rate), []
        model.set_weights([part[n].numpy() for part in split[3]])
        for s in range(steps):
            index = order[n, 30 * s : 30 * (s + 1)]
            x = tf.cast(problem.features[n].numpy()[index], tf.float32) / 16
            y = problem.labels[n].numpy()[index]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, model(x), from_logits=True))
                parts = zip(model.trainable_variables, split[0], split[1], split[2], strict=True)
                pulls = [(mu[n] * v, w[n] * (v - c[0]) ** 2) for v, mu, w, c in parts]
                total = loss + sum(tf.reduce_sum(a) + 0.5 * tf.reduce_sum(b) for a, b in pulls)
            opt.apply(tape.gradient(total, model.trainable_variables), model.trainable_variables)
            seen.append(float(loss))
        expected = np.concatenate([variable.numpy().reshape(-1) for variable in model.trainable_variables])
        distance = np.linalg.norm(theta[n, :, 0] - expected) / np.linalg.norm(expected - start[n, :, 0])
        assert distance < 1e-4
        assert losses[n, 0].numpy() == pytest.approx(np.mean(seen), rel=1e-4)


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


def test_gradient_against_finite_differences_in_float64():
    problem = classification()
    start = np.repeat(problem.start.numpy(), WORKERS, axis=0)
    slope, losses = compiled(lambda: problem.gradient(tf.constant(start)))
    shapes = problem.learner.network.shapes
    for n in range(WORKERS):
        count = int(problem.count[n])
        x, y = problem.features[n].numpy()[:count] / 16, problem.labels[n].numpy()[:count]
        theta = start[n, :, 0].astype(np.float64)
        assert losses[n, 0].numpy() == pytest.approx(forward64(theta, x, y, shapes), rel=1e-5)
        for direction in RNG.standard_normal((5, len(theta))):
            step = 1e-6 * direction
            difference = forward64(theta + step, x, y, shapes) - forward64(theta - step, x, y, shapes)
            along = float(slope[n, :, 0].numpy().astype(np.float64) @ direction)
            assert along == pytest.approx(difference / 2e-6, rel=1e-3, abs=1e-4)


def test_sampled_gradient_is_that_of_the_first_batch():
    """Its loss and directional derivatives are those of the mean loss over the samples that come first."""
    problem = classification().at(2)
    theta, shapes = problem.start, problem.learner.network.shapes
    slope, losses = compiled(lambda: problem.sampled_gradient(theta))
    order = compiled(lambda: problem.samples.order).numpy()
    flat = theta[0, :, 0].numpy().astype(np.float64)
    for n in range(WORKERS):
        index = order[n, :30]
        x, y = problem.features[n].numpy()[index] / 16, problem.labels[n].numpy()[index]
        assert losses[n, 0].numpy() == pytest.approx(forward64(flat, x, y, shapes), rel=1e-5)
        step = 1e-6 * RNG.standard_normal(len(flat))
        difference = forward64(flat + step, x, y, shapes) - forward64(flat - step, x, y, shapes)
        along = float(slope[n, :, 0].numpy().astype(np.float64) @ step)
        assert along == pytest.approx(difference / 2, rel=1e-3, abs=1e-10)


@pytest.mark.parametrize("chunk", [2, 3, 5])
def test_chunks_of_workers_change_no_bit(chunk):
    """One worker at a time, some, or all: the same models to the last bit, also where chunks do not divide."""
    results = []
    for size in (1, chunk):
        problem = classification(run={"worker_chunk": size})
        results.append(minimised(problem))
    np.testing.assert_array_equal(results[0].theta, results[1].theta)
    np.testing.assert_array_equal(results[0].losses, results[1].losses)


def minimised(problem: Classification):
    return compiled(lambda: problem.minimise(None, *random_penalty_of(problem)))


def random_penalty_of(problem: Classification) -> tuple:
    """The same penalty and start for every problem of a size: weight, dual, anchor, start."""
    workers = len(problem.count)
    shape = (workers, problem.learner.network.elements, 1)
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    return np.abs(values), 0.01 * values, problem.start, np.repeat(problem.start.numpy(), workers, axis=0)


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_number_of_cores_changes_no_bit(parts):
    problem = classification()
    other = problem._replace(learner=dataclasses.replace(problem.learner, parts=parts))
    first, second = (minimised(p) for p in (problem, other))
    np.testing.assert_array_equal(first.theta, second.theta)


def linear_learner(steps: int, batch_size: int, features: int) -> Learner:
    """A linear model with the loss ½·residual², trained by gradient descent."""
    build = lambda: keras.Sequential([keras.Input((features,)), keras.layers.Dense(1, use_bias=False)])  # noqa: E731
    net = dataclasses.replace(
        network("mlp_small", (features,), 10), build=build, model=build(), shapes=((features, 1),)
    )
    half_square = lambda outputs, targets: 0.5 * (outputs[..., 0] - targets) ** 2  # noqa: E731
    return Learner(net, half_square, OPTIMIZERS["sgd"], 1.0, batch_size, steps, 1, 2, steps)


def test_long_training_on_linear_regression_reaches_the_exact_minimiser():
    """The convex engine's argmin of the penalised problem, and its gradient, by the other engine's route."""
    features, target = RNG.standard_normal((WORKERS * 40, 4)), RNG.standard_normal(WORKERS * 40)
    shares = np.split(np.arange(WORKERS * 40), WORKERS)
    convex = linear_regression.stack([linear_regression.build(Regression(features, target), shares, "mean")])
    convex = linear_regression.LinearRegression(*map(tf.constant, convex))
    dual, anchor = RNG.standard_normal((WORKERS, 4, 1)), RNG.standard_normal((1, 4, 1))
    weight = RNG.uniform(0.2, 1.0, (WORKERS, 4, 1))
    exact = convex.minimise(convex.penalise(weight), weight, dual, anchor, anchor).theta.numpy()
    learner = linear_learner(steps=400, batch_size=40, features=4)
    count = tf.fill([WORKERS], 40)
    x, y = features.reshape(WORKERS, 40, 4).astype("f4"), target.reshape(WORKERS, 40).astype("f4")
    penalty = Penalty(*(array[..., 0].astype(np.float32) for array in (dual, weight, anchor)))
    start = tf.zeros([WORKERS, 4])

    def train():
        samples = Samples(tf.constant(x), tf.constant(y), count, learner.order(tf.constant(1, tf.int64), 0, count, 40))
        return learner.train(samples, start, penalty, tf.constant(0.2)), learner.gradient(samples, start)

    (theta, _, _), (slope, _) = compiled(train)
    np.testing.assert_allclose(theta, exact[..., 0], atol=2e-5)
    np.testing.assert_allclose(slope, convex.gradient(tf.zeros([1, 4, 1], tf.float64)).slope[..., 0], atol=1e-5)


def test_long_training_is_stationary_in_the_penalised_problem():
    """∇f_n(θ) + μ + w(θ − Θ) falls to a small share of what it was, by full-batch descent on a network."""
    problem = classification(
        local={"batch_size": 719, "steps": 3000, "optimizer": "sgd", "learning_rate": 0.1}, federation={"workers": 2}
    )
    weight, dual, _, start = random_penalty_of(problem)
    weight, dual = np.full_like(weight, 0.5), dual.astype(np.float32)

    def balance(theta):
        return problem.gradient(theta).slope + dual + weight * (theta - problem.start)

    def both():
        theta = problem.minimise(None, weight, dual, problem.start, start).theta
        return balance(tf.constant(start)), balance(theta)

    before, after = (np.linalg.norm(part, axis=1) for part in compiled(both))
    assert (after < 0.01 * before).all()


@pytest.mark.parametrize("counts", [[7, 7, 7], [5, 7, 6]])
def test_batches_read_every_sample_once_a_pass(counts):
    shape = (3, 4, 7)
    order = batches.order(tf.constant(9, tf.int64), tf.constant(2), tf.constant(counts), shape, range(3)).numpy()
    for row, count in zip(order, counts, strict=True):
        for turn in range(4):
            assert sorted(row[turn * count : (turn + 1) * count]) == list(range(count))
    assert not np.array_equal(order[0, : counts[0]], order[0, counts[0] : 2 * counts[0]])


def test_batches_are_uniform_and_differ_between_rounds_and_workers():
    shape, count = (2, 1, 10), tf.fill([2], 10)
    draw = lambda k: batches.order(tf.constant(5, tf.int64), k, count, shape, range(2))[..., :1]  # noqa: E731
    first = np.concatenate([draw(tf.constant(k)).numpy() for k in range(2000)], axis=1)
    for row in first:
        counts = np.bincount(row, minlength=10)
        assert np.sum((counts - 200) ** 2 / 200) < 33.7  # 99.99% of chi-squared with 9 degrees of freedom
    assert (first[0] != first[1]).mean() > 0.8


def test_initial_weights_depend_on_the_seed_alone():
    net = network("mlp_small", (8, 8, 1), 10)
    first, again, other = net.initial(1), net.initial(1), net.initial(2)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (2368,)


def test_the_papers_network_has_109184_weights():
    assert network("mlp", (28, 28, 1), 10).elements == 109_184


@pytest.mark.parametrize("model", ["mlp", "mlp_small", "cnn"])
def test_flat_weights_and_back(model):
    net = network(model, (8, 8, 1), 10)
    flat = tf.constant(RNG.standard_normal((3, net.elements)).astype(np.float32))
    np.testing.assert_array_equal(net.flatten(net.unflatten(flat)), flat)


def test_bfloat16_products_stay_near_float32():
    problems = [classification(run={"precision": precision}) for precision in ("float32", "bfloat16")]
    results = [minimised(problem) for problem in problems]
    assert results[1].theta.dtype == tf.float32
    difference = np.linalg.norm(results[0].theta - results[1].theta) / np.linalg.norm(results[0].theta)
    assert 0 < difference < 0.1


def test_accuracy_counts_every_test_sample_once():
    problem = classification()
    accuracy = compiled(lambda: problem.test_accuracy(problem.start)).numpy()[0]
    logits = compiled(lambda: problem.learner.outputs(problem.start[0, :, 0], problem.test_features[0]))
    assert accuracy == pytest.approx(np.mean(np.argmax(logits, axis=1) == problem.test_labels[0].numpy()))


def test_cross_entropy_of_even_logits_is_the_logarithm_of_their_number():
    np.testing.assert_allclose(cross_entropy(tf.zeros([4, 10]), tf.range(4)), np.log(10), rtol=1e-6)
