"""Quadratic local losses, their gaps and minimisers, and Cholesky solves, against their definitions."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.data.samples import Samples
from otafl.problems import cholesky, linear_regression

RNG = np.random.default_rng(11)
DATA = Samples(RNG.standard_normal((50, 3)), RNG.standard_normal(50), np.empty((0, 3)), np.empty(0))
SHARES = np.array_split(RNG.permutation(50), 7)


@pytest.fixture
def problem():
    stacked = linear_regression.stack([linear_regression.build(DATA, SHARES, "sum")])
    return linear_regression.LinearRegression(*map(tf.constant, stacked))


def test_losses_that_are_sums_are_means_times_numbers_of_samples():
    """Means are tested as a limit of other convex losses."""
    total, mean = (linear_regression.build(DATA, SHARES, reduction) for reduction in ("sum", "mean"))
    counts = np.array([len(share) for share in SHARES])
    np.testing.assert_allclose(total.hessian, counts[:, None, None] * mean.hessian, rtol=1e-12)
    np.testing.assert_allclose(total.linear, counts[:, None] * mean.linear, rtol=1e-12)
    solution = np.linalg.lstsq(DATA.features, DATA.targets, rcond=None)[0]
    np.testing.assert_allclose(total.optimum[0], solution, rtol=1e-10)


def test_gaps_are_differences_of_losses(problem):
    """Gaps of workers' own losses and of the mean of all, as the A-FADMM paper prints it, agree for a common model."""
    theta, best = RNG.standard_normal((7, 3)), problem.optimum[0, :, 0].numpy()

    def losses(model):
        return np.array([np.sum((DATA.features[share] @ model - DATA.targets[share]) ** 2) / 2 for share in SHARES])

    own, of_all = problem, linear_regression.LossOfAll(*problem)
    models, common = tf.constant(theta[..., None]), tf.constant(theta[:1, :, None])
    gap = sum(losses(model)[n] for n, model in enumerate(theta)) - losses(best).sum()
    assert own.reported_loss(models, None).numpy()[0] == pytest.approx(abs(gap), rel=1e-10)
    gap = sum(np.mean(losses(model) - losses(best)) for model in theta)
    assert of_all.reported_loss(models, None).numpy()[0] == pytest.approx(gap, rel=1e-10)
    np.testing.assert_allclose(of_all.reported_loss(common, None), own.reported_loss(common, None), rtol=1e-9)


def test_minimiser_is_stationary(problem):
    """Without dual and penalty it is that of the local loss, which does not share the optimum of the sum."""
    weight, dual, anchor = (tf.constant(RNG.uniform(0.1, 2.0, (7, 3, 1))) for _ in range(3))
    theta = problem.solve(anchor, dual, weight, anchor, penalised=problem.penalise(weight)).theta
    slope = problem.gradient(theta).slope + dual + weight * (theta - anchor)
    np.testing.assert_allclose(slope, 0.0, atol=1e-10)
    np.testing.assert_array_equal(problem.solve(0 * anchor, dual, weight, anchor).theta, theta)
    alone = problem.solve(problem.start).theta
    np.testing.assert_allclose(problem.gradient(alone).slope, 0.0, atol=1e-9)
    assert np.abs(alone - problem.optimum).max() > 1e-3


@pytest.mark.parametrize("dim", [1, 2, 6, cholesky.UNROLLED, cholesky.UNROLLED + 1, 30])
def test_solves_agree_with_numpy(dim):
    rng = np.random.default_rng(dim)
    root = rng.standard_normal((5, 3, dim, dim))
    matrix = np.moveaxis(root @ np.swapaxes(root, -1, -2), 1, -1)
    diagonal, right = rng.uniform(0.5, 2.0, (5, dim, 3)), rng.standard_normal((5, dim, 3))
    solved = tf.function(lambda *parts: cholesky.solve(cholesky.factor(*parts[:2]), parts[2]), jit_compile=dim > 6)
    solution = solved(*map(tf.constant, (matrix, diagonal, right))).numpy()
    for worker in range(5):
        for run in range(3):
            full = matrix[worker, :, :, run] + np.diag(diagonal[worker, :, run])
            np.testing.assert_allclose(full @ solution[worker, :, run], right[worker, :, run], atol=1e-8)
