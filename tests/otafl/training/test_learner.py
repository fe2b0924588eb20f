"""Local training against Keras, finite differences, exact minimisers and itself in another form."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.data.samples import Samples as Data
from otafl.numerics.optimizers import OPTIMIZERS
from otafl.problems import linear_regression
from otafl.problems.classification import Classification
from otafl.problems.training_task import Training
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.local import Penalty, Samples
from otafl.training.networks import Network, named_network
from tests.rounding import SINGLE, assert_close

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
    return resolved(Settings.model_validate(base | tables))


def classification(**tables) -> Classification:
    chosen = settings(**tables)
    training = Training(chosen, METHODS[chosen.method], [3])
    shared, own = training.shared(np.array([0])), training.own(np.arange(chosen.federation.workers))
    return Classification(training.learner, shared, own, tf.constant(0), None)


def own_samples(problem: Classification, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A worker's features and labels, in the order of its places."""
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


def regularised(input_shape, outputs):
    """The network mlp_small whose first matrix is kept small, whose second one sparse, with biases."""
    l2, l1 = keras.regularizers.L2(0.05), keras.regularizers.L1(0.01)
    layers = [
        keras.layers.Dense(32, activation="relu", kernel_regularizer=l2),
        keras.layers.Dense(outputs, kernel_regularizer=l1, bias_regularizer=l2),
    ]
    return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), *layers])


REGULARISED = f"{__name__}:regularised"
LOOPS = [*((steps, "mlp_small", name) for name in KERAS for steps in (20, 7)), (7, REGULARISED, "adam")]


@pytest.mark.parametrize(
    ("steps", "model", "optimizer"),
    [pytest.param(*loop, marks=[pytest.mark.slow] if loop[0] == 20 else []) for loop in LOOPS],
)
def test_training_equals_a_plain_loop_of_keras(steps, model, optimizer):
    """Every worker's model after some steps on the same batches, the penalty added to the loss, to 1e-4 relative.

    Regularisers of weights are part of the loss.
    """
    named = {"kind": "classification", "dataset": "digits", "model": model}
    problem = classification(local={"batch_size": 30, "optimizer": optimizer, "steps": steps}, problem=named)
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
        for s in range(steps):
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
    named = {"kind": "classification", "dataset": "digits", "model": REGULARISED}
    problem = classification(problem=named, federation={"workers": WORKERS, "partition": "power_law"})
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
    """The same network without regularisers."""
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


def test_gradient_against_finite_differences_in_float64():
    problem = classification()
    start = np.repeat(problem.start.numpy(), WORKERS, axis=0)
    slope, losses = compiled(lambda: problem.gradient(tf.constant(start)))
    shapes = problem.learner.network.shapes
    for n in range(WORKERS):
        x, y = (values[: int(problem.own.count[n])] for values in own_samples(problem, n))
        x = x / 16
        theta = start[n, :, 0].astype(np.float64)
        assert losses[n, 0].numpy() == pytest.approx(forward64(theta, x, y, shapes), rel=1e-5)
        for direction in RNG.standard_normal((5, len(theta))):
            step = 1e-8 * direction  # so small that no unit passes through 0 on the way
            difference = forward64(theta + step, x, y, shapes) - forward64(theta - step, x, y, shapes)
            along = float(slope[n, :, 0].numpy().astype(np.float64) @ direction)
            assert along == pytest.approx(difference / 2e-8, rel=1e-5, abs=1e-6)


def test_sampled_gradient_is_that_of_the_first_batch():
    """Its loss and directional derivatives are those of the mean loss over the samples that come first."""
    problem = classification()._replace(iteration=tf.constant(2))
    theta, shapes = problem.start, problem.learner.network.shapes
    slope, losses = compiled(lambda: problem.sampled_gradient(theta))
    order = compiled(lambda: problem.samples.order).numpy()
    flat, rng = theta[0, :, 0].numpy().astype(np.float64), np.random.default_rng(2)
    for n in range(WORKERS):
        x, y = (values[order[n, :30]] for values in own_samples(problem, n))
        x = x / 16
        assert losses[n, 0].numpy() == pytest.approx(forward64(flat, x, y, shapes), rel=1e-5)
        step = 1e-8 * rng.standard_normal(len(flat))  # so small that it hardly crosses a kink
        difference = forward64(flat + step, x, y, shapes) - forward64(flat - step, x, y, shapes)
        along = float(slope[n, :, 0].numpy().astype(np.float64) @ step)
        assert along == pytest.approx(difference / 2, rel=1e-3, abs=1e-12)


@pytest.fixture(scope="module")
def one_at_a_time():
    """What training one worker at a time gives, on as many cores as there are."""
    return minimised(classification(run={"worker_chunk": 1}))


def test_chunks_of_workers_train_the_same_models(one_at_a_time):
    """Chunks of two, which do not divide five workers."""
    some = minimised(classification(run={"worker_chunk": 2}))
    assert_close(some.theta, one_at_a_time.theta, SINGLE)
    assert_close(some.losses, one_at_a_time.losses, SINGLE)


def minimised(problem: Classification):
    weight, dual, anchor, start = random_penalty_of(problem)
    return compiled(lambda: problem.solve(start, dual, weight, anchor))


def random_penalty_of(problem: Classification) -> tuple:
    """The same penalty and start for every problem of a size: weight, dual, anchor, start."""
    workers = len(problem.own.count)
    shape = (workers, problem.learner.network.elements, 1)
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    return np.abs(values), 0.01 * values, problem.start, np.repeat(problem.start.numpy(), workers, axis=0)


@pytest.mark.parametrize("parts", [1, 4])
def test_number_of_cores_changes_no_bit(one_at_a_time, parts):
    problem = classification(run={"worker_chunk": 1})
    other = minimised(problem._replace(learner=dataclasses.replace(problem.learner, parts=parts)))
    np.testing.assert_array_equal(one_at_a_time.theta, other.theta)


def linear_learner(steps: int, batch_size: int, features: int) -> Learner:
    """A linear model with the loss ½·residual², trained by gradient descent."""
    build = lambda: keras.Sequential([keras.Input((features,)), keras.layers.Dense(1, use_bias=False)])  # noqa: E731
    net = dataclasses.replace(
        named_network("mlp_small", (features,), 10), build=build, model=build(), shapes=((features, 1),)
    )
    half_square = lambda outputs, targets: 0.5 * (outputs[..., 0] - targets) ** 2  # noqa: E731
    return Learner(net, half_square, OPTIMIZERS["sgd"](0.9), (1.0,), (0.0,), batch_size, steps, 1, 2, steps)


def test_long_training_on_linear_regression_reaches_the_exact_minimiser():
    """The convex engine's argmin of the penalised problem, and its gradient, by the other engine's route."""
    features, target = RNG.standard_normal((WORKERS * 40, 4)), RNG.standard_normal(WORKERS * 40)
    data = Data(features, target, features[:0], target[:0])
    shares = np.split(np.arange(WORKERS * 40), WORKERS)
    convex = linear_regression.stack([linear_regression.build(data, shares, "mean")])
    convex = linear_regression.LinearRegression(*map(tf.constant, convex))
    dual, anchor = RNG.standard_normal((WORKERS, 4, 1)), RNG.standard_normal((1, 4, 1))
    weight = RNG.uniform(0.2, 1.0, (WORKERS, 4, 1))
    exact = convex.solve(anchor, dual, weight, anchor, penalised=convex.penalise(weight)).theta.numpy()
    learner = linear_learner(steps=400, batch_size=40, features=4)
    count = tf.fill([WORKERS], 40)
    index, y = np.reshape(shares, (WORKERS, 40)), target.reshape(WORKERS, 40).astype("f4")
    penalty = Penalty(*(array[..., 0].astype(np.float32) for array in (dual, weight, anchor)))
    start = tf.zeros([WORKERS, 4])

    def train():
        order = batches.order(tf.constant(1, tf.int64), 0, count, learner.passes, 40)
        x = tf.constant(features[None].astype("f4"))
        samples = Samples(x, tf.constant(index), tf.constant(y), count, order)
        return learner.train(samples, start, penalty, tf.constant([0.2])), learner.gradient(samples, start)

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
        theta = problem.solve(start, dual, weight, problem.start).theta
        return balance(tf.constant(start)), balance(theta)

    before, after = (np.linalg.norm(part, axis=1) for part in compiled(both))
    assert (after < 0.01 * before).all()


def test_bfloat16_products_stay_near_float32(one_at_a_time):
    half = minimised(classification(run={"precision": "bfloat16", "worker_chunk": 1}))
    assert half.theta.dtype == tf.float32
    difference = np.linalg.norm(one_at_a_time.theta - half.theta) / np.linalg.norm(one_at_a_time.theta)
    assert 0 < difference < 0.1
