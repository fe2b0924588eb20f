"""Local losses, gradients and minimisers against their definitions."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.problems import linear_regression

RNG = np.random.default_rng(11)
DATA = Samples(RNG.standard_normal((50, 3)), RNG.standard_normal(50), np.empty((0, 3)), np.empty(0))
SHARES = np.array_split(RNG.permutation(50), 7)
SCALE = {"mean": lambda share: 1 / len(share), "sum": lambda share: 1.0}


def local_loss(share, theta, reduction):
    residual = DATA.features[share] @ theta - DATA.targets[share]
    return SCALE[reduction](share) * 0.5 * residual @ residual


@pytest.fixture(params=["mean", "sum"])
def reduction(request):
    return request.param


@pytest.fixture
def problem(reduction):
    stacked = linear_regression.stack([linear_regression.build(DATA, SHARES, reduction)])
    return linear_regression.LinearRegression(*map(tf.constant, stacked))


def test_optimum_minimises_the_sum_of_local_losses(problem, reduction):
    weights = np.concatenate([np.full(len(share), np.sqrt(SCALE[reduction](share))) for share in SHARES])
    order = np.concatenate(SHARES)
    solution = np.linalg.lstsq(weights[:, None] * DATA.features[order], weights * DATA.targets[order], rcond=None)[0]
    np.testing.assert_allclose(problem.optimum[0, :, 0], solution, rtol=1e-10)


def test_gap_is_the_difference_of_losses(problem, reduction):
    theta = RNG.standard_normal((7, 3))
    best = problem.optimum[0, :, 0].numpy()
    losses = [local_loss(share, theta[n], reduction) for n, share in enumerate(SHARES)]
    optimal = [local_loss(share, best, reduction) for share in SHARES]
    gap = problem.loss(tf.constant(theta[..., None]), None).numpy()[0]
    assert gap == pytest.approx(abs(sum(losses) - sum(optimal)), rel=1e-10)


def test_gap_of_the_mean_of_all_losses(problem, reduction):
    """As the A-FADMM paper prints it; where all models are one it is the same as that of the workers' own."""
    theta = RNG.standard_normal((7, 3))
    best = problem.optimum[0, :, 0].numpy()

    def mean(model):
        return np.mean([local_loss(share, model, reduction) for share in SHARES])

    of_all = linear_regression.LossOfAll(*problem)
    gap = of_all.loss(tf.constant(theta[..., None]), None).numpy()[0]
    assert gap == pytest.approx(sum(mean(model) - mean(best) for model in theta), rel=1e-10)
    common = tf.constant(theta[:1, :, None])
    np.testing.assert_allclose(of_all.loss(common, None), problem.loss(common, None), rtol=1e-9)


def test_gradient_against_finite_differences(problem, reduction):
    theta = RNG.standard_normal((7, 3))
    slope = problem.gradient(tf.constant(theta[..., None])).slope.numpy()[..., 0]
    for n, share in enumerate(SHARES):
        for i in range(3):
            step = 1e-5 * np.eye(3)[i]
            central = local_loss(share, theta[n] + step, reduction) - local_loss(share, theta[n] - step, reduction)
            assert slope[n, i] == pytest.approx(central / 2e-5, rel=1e-6, abs=1e-8)


def test_minimiser_is_stationary(problem):
    weight, dual, anchor = (tf.constant(RNG.uniform(0.1, 2.0, (7, 3, 1))) for _ in range(3))
    theta = problem.solve(anchor, dual, weight, anchor, penalised=problem.penalise(weight)).theta
    slope = problem.gradient(theta).slope + dual + weight * (theta - anchor)
    np.testing.assert_allclose(slope, 0.0, atol=1e-10)
    np.testing.assert_array_equal(problem.solve(0 * anchor, dual, weight, anchor).theta, theta)


def test_minimiser_without_dual_and_penalty_is_that_of_the_local_loss(problem):
    """The local minimisers do not share the optimum of the sum."""
    theta = problem.solve(problem.start).theta
    np.testing.assert_allclose(problem.gradient(theta).slope, 0.0, atol=1e-9)
    assert np.abs(theta - problem.optimum).max() > 1e-3
