"""Elgabli et al.'s theory as executable properties of the recursion, in float64 and without noise."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.channels.effective_channel import Effective
from otafl.uplinks.link import Numbers
from tests.otafl.algorithms.conftest import begun, build, noise_free, observed, one_iteration, penalty
from tests.otafl.uplinks.links import draw_of

RHO = 0.5
TINY = 1e-12


def optimal_dual(problem):
    """μ*_n = −∇f_n(θ*), from (17)."""
    return -problem.gradient(tf.constant(problem.optimum)).slope.numpy()


def distance(mu, model, gain, problem):
    """Σ (μ − μ*)²/(ρ|h|²) + ρ|h|²(Θ − Θ*)², the two sums of (22) and the Lyapunov function (64)."""
    dual = np.sum((np.asarray(mu) - optimal_dual(problem)) ** 2 / (RHO * gain))
    return dual + RHO * np.sum(gain * (np.asarray(model) - problem.optimum) ** 2)


def test_theorem_1_holds_across_channel_changes(problem):
    changes = 0
    for it in noise_free(problem, iterations=60, coherence=5, rho=RHO):
        before = distance(it.entered, it.before.model, it.gain, problem)
        after = distance(it.after.mu, it.after.model, it.gain, problem)
        assert after - before <= TINY * max(before, 1.0)
        changes += it.changed
    assert changes == 11


def test_theorem_1_bound_63(problem):
    """The decrease is at least ρ Σ |h|²(r + ΔΘ)², equation (63)."""
    for it in noise_free(problem, iterations=40, coherence=5, rho=RHO):
        decrease = distance(it.entered, it.before.model, it.gain, problem)
        decrease -= distance(it.after.mu, it.after.model, it.gain, problem)
        moved = it.after.theta - it.after.model + it.after.model - it.before.model
        assert decrease >= RHO * np.sum(it.gain * moved**2) * (1 - 1e-9) - TINY * max(decrease, 1.0)


@pytest.mark.slow
def test_corollary_1_under_a_static_channel():
    problem = build("diabetes")
    iterations = list(noise_free(problem, iterations=3000, coherence=None, rho=RHO))
    lyapunov = np.array([distance(it.after.mu, it.after.model, it.gain, problem) for it in iterations])
    assert np.all(np.diff(lyapunov) <= TINY * lyapunov[:-1] + 1e-15)
    last = iterations[-1]
    primal, dual = last.residuals[:, 0]
    assert primal == pytest.approx(np.linalg.norm(last.after.theta - last.after.model), rel=1e-9)
    assert dual == pytest.approx(np.linalg.norm(RHO * last.gain * (last.after.model - last.before.model)), rel=1e-9)
    assert primal < 1e-5
    assert dual < 1e-5


def test_duals_sum_to_zero_after_every_server_update(problem):
    """Stationarity (41) with the dual update put in: Σ_n μ_n = 0."""
    for it in noise_free(problem, iterations=30, coherence=4):
        scale = np.abs(it.after.mu).sum(axis=0).max()
        assert np.abs(it.after.mu.sum(axis=0)).max() <= 1e-12 * max(scale, 1.0)


def test_local_models_are_stationary_in_every_iteration(problem):
    """(31) holds at θ after a primal solve and after a dual flip alike."""
    for it in noise_free(problem, iterations=20, coherence=3, rho=RHO):
        slope = problem.gradient(it.after.theta).slope.numpy()
        balance = slope + it.entered + RHO * it.gain * (it.after.theta - it.before.model)
        assert np.abs(balance).max() <= 1e-10 * max(np.abs(slope).max(), 1.0)


def test_change_of_channel_keeps_local_models(problem):
    for it in noise_free(problem, iterations=20, coherence=4):
        if it.changed:
            np.testing.assert_array_equal(it.after.theta, it.before.theta)


def test_plain_admm_is_the_textbook_recursion():
    """Equations (3) to (5), written out with NumPy."""
    problem = build("diabetes")
    workers, dim, _ = problem.linear.shape
    parameters = penalty(RHO)
    unit = tf.ones((workers, dim, 1), tf.float64)
    state, draw = begun(problem, parameters), draw_of(Effective(unit, None, unit, None))
    lam, model = np.zeros((workers, dim)), np.zeros(dim)
    for _ in range(10):
        _, state, _ = observed(state, *one_iteration(problem, parameters, Numbers({}), draw))
        matrix = problem.hessian[..., 0] + RHO * np.eye(dim)
        theta = np.linalg.solve(matrix, (problem.linear[..., 0] - lam + RHO * model)[..., None])[..., 0]
        model = np.mean(theta + lam / RHO, axis=0)
        lam = lam + RHO * (theta - model)
        np.testing.assert_allclose(state.server.model[0, :, 0], model, rtol=1e-10, atol=1e-13)
