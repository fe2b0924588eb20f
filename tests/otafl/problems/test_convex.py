"""Convex losses: gradients, minimisers and gaps against definitions, closed forms and each other."""

import dataclasses
import functools

import numpy as np
import pytest
import scipy.optimize
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.losses import ConvexLoss, HuberRegression, LogisticRegression, RidgeRegression, WorkerData
from otafl.problems import exact_regression, linear_regression
from otafl.problems.convex import Convex
from otafl.problems.reference_optimum import reference_optimum
from otafl.settings.problem import Problem

RNG = np.random.default_rng(7)
REAL = Samples(RNG.standard_normal((50, 3)), RNG.standard_normal(50), np.empty((0, 3)), np.empty(0))
LABELS = dataclasses.replace(REAL, targets=np.where(REAL.features[:, 0] + RNG.standard_normal(50) > 0, 1.0, 0.0))
SHARES = np.array_split(RNG.permutation(50), 7)
WORKERS = len(SHARES)
DATA = {"ridge_regression": REAL, "huber_regression": REAL, "logistic_regression": LABELS}
LOSSES = {
    "ridge_regression": RidgeRegression(0.2),
    "huber_regression": HuberRegression(0.2, 0.7),
    "logistic_regression": LogisticRegression(0.2),
}
"""Losses, most of whose residuals lie on both sides of the threshold."""


def slope(name, theta, x, y) -> np.ndarray:
    """Gradient of a mean loss with its L2 term, by hand."""
    output, convex = x @ theta, LOSSES[name]
    per_output = {
        "ridge_regression": lambda: output - y,
        "huber_regression": lambda: np.clip(output - y, -0.7, 0.7),
        "logistic_regression": lambda: 1 / (1 + np.exp(-output)) - y,
    }[name]()
    return x.T @ per_output / len(y) + convex.l2_weight * theta


@functools.cache
def problem(name: str, convex: ConvexLoss | None = None) -> Convex:
    """A problem of two runs with the same data."""
    convex = convex or LOSSES[name]
    best = reference_optimum(Problem(kind=name), convex, DATA[name], SHARES)[0]
    samples = exact_regression._packed(DATA[name], SHARES)
    return Convex(convex, WorkerData(*(tf.stack([part] * 2) for part in samples)), tf.stack([best] * 2, axis=-1)[None])


def per_worker(name: str, theta: np.ndarray) -> np.ndarray:
    """Gradients by hand at models [workers, d]. Shape [workers, d]."""
    data = DATA[name]
    return np.stack([slope(name, theta[n], data.features[s], data.targets[s]) for n, s in enumerate(SHARES)])


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", LOSSES)
def test_gradient_by_differentiation_is_the_analytic_one(name):
    theta = RNG.standard_normal((WORKERS, 3, 2))
    found = problem(name).gradient(tf.constant(theta))
    for run in range(2):
        np.testing.assert_allclose(found.slope[..., run], per_worker(name, theta[..., run]), atol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_optimum_is_that_of_another_solver(name):
    """The gap is zero at the optimum, and positive beside it."""
    data, found = DATA[name], problem(name)

    def total(theta):
        return sum(slope(name, theta, data.features[s], data.targets[s]) for s in SHARES)

    best = found.optimum[0, :, 0].numpy()
    np.testing.assert_allclose(total(best), 0, atol=1e-10)
    np.testing.assert_allclose(best, scipy.optimize.root(total, np.zeros(3), tol=1e-13).x, atol=1e-9)
    assert np.abs(found.reported_loss(found.optimum, None)).max() < 1e-14
    assert (found.reported_loss(found.optimum + 0.1, None) > 1e-3).numpy().all()


@pytest.mark.parametrize("name", LOSSES)
def test_minimiser_is_stationary(name):
    weight, dual, anchor = (RNG.uniform(0.1, 2.0, (WORKERS, 3, 2)) for _ in range(3))
    solve = tf.function(problem(name).solve, autograph=False)
    theta = solve(tf.zeros([1, 3, 2], tf.float64), *map(tf.constant, (dual, weight, anchor))).theta
    for run in range(2):
        here = theta[..., run].numpy()
        left = per_worker(name, here) + dual[..., run] + weight[..., run] * (here - anchor[..., run])
        np.testing.assert_allclose(left, 0, atol=1e-9)


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("name", "convex"),
    [("ridge_regression", RidgeRegression(0.0)), ("huber_regression", HuberRegression(0.0, 1e3))],
    ids=["ridge without penalty", "Huber with a large threshold"],
)
def test_limits_are_linear_regression(name, convex):
    linear = linear_regression.stack([linear_regression.build(REAL, SHARES, "mean")])
    linear = linear_regression.LinearRegression(*map(tf.constant, linear))
    theta = tf.constant(RNG.standard_normal((WORKERS, 3, 2)))
    weight = tf.constant(RNG.uniform(0.1, 2.0, (WORKERS, 3, 2)))
    limit, parts = problem(name, convex), (theta, weight, theta)
    np.testing.assert_allclose(limit.optimum[..., :1], linear.optimum, atol=1e-12)
    one, other = (
        tf.function(found.solve, autograph=False)(0 * theta[:1, :, :last], *(part[..., :last] for part in parts))
        for found, last in ((limit, 2), (linear, 1))
    )
    np.testing.assert_allclose(one.theta[..., :1], other.theta, atol=1e-10)
    np.testing.assert_allclose(limit.gradient(theta).slope[..., :1], linear.gradient(theta[..., :1]).slope, atol=1e-12)
    np.testing.assert_allclose(
        limit.reported_loss(theta, None)[:1], linear.reported_loss(theta[..., :1], None), rtol=1e-10
    )


@pytest.mark.slow
def test_a_loss_without_a_minimum_and_targets_other_than_0_and_1_are_refused():
    """With separable labels and no penalty the model would grow without bound."""
    separable, kind = dataclasses.replace(REAL, targets=(REAL.features[:, 0] > 0).astype(float)), "logistic_regression"
    with pytest.raises(OtaflError, match="has no minimum on 'diabetes' that Newton's method finds"):
        reference_optimum(Problem(kind=kind), LogisticRegression(0.0), separable, SHARES)
    with pytest.raises(OtaflError, match=r"problem\.dataset = 'diabetes': must have the targets 0 and 1"):
        reference_optimum(Problem(kind=kind), LogisticRegression(0.1), REAL, SHARES)
