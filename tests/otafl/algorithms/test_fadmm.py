"""Elgabli et al.'s theory as executable properties of the recursion, in float64 and without noise."""

import numpy as np
import pytest
import tensorflow as tf
from otafl.algorithms.hyperparameters import Hyperparameters

from channels import multiple_access
from channels.noise import complex_normal
from otafl.algorithms import fadmm
from otafl.uplinks.analog import AnalogLink, Radio, amplification, signal_power
from otafl.uplinks.digital import DigitalLink
from tests.otafl.conftest import build, noise_free, rayleigh_gains

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
        assert decrease >= RHO * np.sum(it.gain * moved.numpy() ** 2) * (1 - 1e-9) - TINY * max(decrease, 1.0)


def test_corollary_1_under_a_static_channel():
    problem = build("diabetes")
    iterations = list(noise_free(problem, iterations=3000, coherence=None, rho=RHO))
    lyapunov = np.array([distance(it.after.mu, it.after.model, it.gain, problem) for it in iterations])
    assert np.all(np.diff(lyapunov) <= TINY * lyapunov[:-1] + 1e-15)
    last = iterations[-1]
    primal, dual = fadmm.residuals(last.before, last.after, fadmm.Block(RHO * last.gain, None))
    assert primal.numpy()[0] < 1e-5
    assert dual.numpy()[0] < 1e-5


def test_duals_sum_to_zero_after_every_server_update(problem):
    """Stationarity (41) with the dual update put in: Σ_n μ_n = 0."""
    for it in noise_free(problem, iterations=30, coherence=4):
        scale = np.abs(it.after.mu.numpy()).sum(axis=0).max()
        assert np.abs(it.after.mu.numpy().sum(axis=0)).max() <= 1e-12 * max(scale, 1.0)


def test_local_models_are_stationary_in_every_iteration(problem):
    """(31) holds at θ after a primal solve and after a dual flip alike."""
    for it in noise_free(problem, iterations=20, coherence=3, rho=RHO):
        slope = problem.gradient(it.after.theta).slope.numpy()
        balance = slope + it.entered + RHO * it.gain * (it.after.theta - it.before.model).numpy()
        assert np.abs(balance).max() <= 1e-10 * max(np.abs(slope).max(), 1.0)


def test_change_of_channel_keeps_local_models(problem):
    for it in noise_free(problem, iterations=20, coherence=4):
        if it.changed:
            np.testing.assert_array_equal(it.after.theta, it.before.theta)


def radio(budget: float, noise_std: float) -> Radio:
    return Radio(*(tf.constant([value], tf.float64) for value in (budget, noise_std, 1e-6, 1e-3)))


@pytest.mark.parametrize("noise_variance", [0.0, 1e-4])
def test_real_shortcut_agrees_with_the_complex_reference(problem, noise_variance):
    """A-FADMM with a complex dual over ``channels.multiple_access`` gives the same models, iteration by iteration."""
    rng = np.random.default_rng(0)
    workers, dim, _ = problem.linear.shape
    h = complex_normal(rng, (workers, dim))
    gain = np.abs(h[..., None]) ** 2
    parameters = Hyperparameters(tf.constant([RHO], tf.float64), tf.constant([0.0], tf.float64))
    state, block = fadmm.init(problem.start, workers, "digital"), fadmm.prepare(problem, gain, parameters)
    lam, budget = np.zeros((workers, dim), complex), 0.3
    reference = np.zeros(dim)
    for _ in range(15):
        noise = complex_normal(rng, (dim,), noise_variance)
        unit = noise.real / np.sqrt(noise_variance / 2) if noise_variance else np.zeros(dim)
        link = AnalogLink(1 / gain, unit[:, None], None, radio(budget, np.sqrt(noise_variance / 2)))
        local = fadmm.local_update(state, problem, block)
        state, _ = fadmm.global_update(state, local, gain, link, parameters)

        hessian = problem.hessian[..., 0] + np.einsum("ni,ij->nij", RHO * np.abs(h) ** 2, np.eye(dim))
        pull = problem.linear[..., 0] - (np.conj(lam) * h).real + RHO * np.abs(h) ** 2 * reference
        theta = np.linalg.solve(hessian, pull[..., None])[..., 0]
        signals = np.conj(h) * theta + np.conj(lam) / RHO
        received = multiple_access.aggregate(signals, h, noise, budget)
        reference = received.real / np.sum(np.abs(h) ** 2, axis=0)
        lam = lam + RHO * h * (theta - reference)
        assert np.abs((np.conj(lam) * h).imag).max() < 1e-9
        np.testing.assert_allclose(state.model[0, :, 0], reference, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(state.mu[..., 0], (np.conj(lam) * h).real, rtol=1e-7, atol=1e-9)


def test_no_worker_exceeds_the_power_budget(problem):
    """In every upload the binding worker meets the budget with equality and the reported energy is their sum."""
    budget, slot = 0.7, 1e-3
    for it in noise_free(problem, iterations=12, coherence=4, rho=RHO):
        contribution = it.gain * it.after.theta + it.entered / RHO
        link = AnalogLink(1 / it.gain, tf.zeros_like(it.gain[0]), None, radio(budget, 0.0))
        power = signal_power(contribution, 1 / it.gain)
        scale = amplification(tf.reduce_max(power, axis=0), link.radio)
        transmitted = (power / scale**2).numpy()
        assert transmitted.max() == pytest.approx(budget, rel=1e-12)
        assert np.all(transmitted <= budget * (1 + 1e-12))
        assert link.superpose(contribution).energy.numpy()[0] == pytest.approx(transmitted.sum() * slot, rel=1e-12)


def test_noise_reaches_the_model_scaled_by_alpha_and_the_gains():
    problem = build("well_conditioned")
    gain, unit = rayleigh_gains(problem, 3), np.ones((4, 1))
    contribution = tf.constant(np.random.default_rng(1).standard_normal(gain.shape))
    quiet = AnalogLink(1 / gain, unit, None, radio(0.5, 0.0)).superpose(contribution).total
    loud = AnalogLink(1 / gain, unit, None, radio(0.5, 0.2)).superpose(contribution).total
    alpha = np.sqrt(0.5 / signal_power(contribution, 1 / gain).numpy().max())
    np.testing.assert_allclose(loud - quiet, 0.2 / alpha, rtol=1e-9)


def test_nothing_sent_costs_nothing():
    gain = np.ones((3, 2, 1))
    link = AnalogLink(1 / gain, np.ones((2, 1)), None, radio(1.0, 1.0))
    assert link.superpose(tf.zeros_like(gain)).energy.numpy()[0] == 0.0


def test_analog_downlink_sees_the_model_through_scaled_noise():
    """(14): a worker's estimate is Θ + Re{z/h}/α with Var Re{z} = N0/2T."""
    gain = np.full((20_000, 1, 1), 0.25)
    noise = np.random.default_rng(2).standard_normal(gain.shape)
    seen = AnalogLink(1 / gain, np.zeros((1, 1)), noise, radio(4.0, 0.1)).broadcast(tf.constant([[[3.0]]], tf.float64))
    deviation = 0.1 * (3.0 / 2.0) / 0.5
    assert np.std(seen) == pytest.approx(deviation, rel=5 / np.sqrt(2 * 20_000))


def test_analog_downlink_agrees_with_the_complex_reference():
    """A worker divides what it hears, h·αΘ + z, by h·α and takes the real part."""
    rng = np.random.default_rng(4)
    h, model = complex_normal(rng, (30, 5)), rng.standard_normal(5)
    budget, deviation = 2.0, 0.3
    alpha = np.sqrt(budget / np.sum(model**2))
    z = complex_normal(rng, (30, 5), 2 * deviation**2)
    expected = ((h * alpha * model + z) / (h * alpha)).real
    unit = (z * np.conj(h) / np.abs(h)).real / deviation
    link = AnalogLink(1 / np.abs(h[..., None]) ** 2, None, unit[..., None], radio(budget, deviation))
    np.testing.assert_allclose(link.broadcast(tf.constant(model[None, :, None]))[..., 0], expected, rtol=1e-9)


def test_truncated_inversion_agrees_with_the_complex_reference():
    from channels import inversion

    rng = np.random.default_rng(3)
    h, message = complex_normal(rng, (50, 8)), rng.standard_normal((50, 8))
    threshold, budget = 0.8, 2.0
    signals, active = inversion.truncated_inversion(message, h, threshold)
    noise = complex_normal(rng, (8,), 0.01)
    expected = inversion.sum_estimate(multiple_access.aggregate(signals, h, noise, budget), active).real
    values = Radio(*(tf.constant([value], tf.float64) for value in (budget, 1.0, threshold, 1e-3)))
    link = AnalogLink(1 / np.abs(h[..., None]) ** 2, noise.real[:, None], None, values)
    np.testing.assert_allclose(link.sum(tf.constant(message[..., None])).total[0, :, 0], expected, rtol=1e-9)


def test_plain_admm_is_the_textbook_recursion():
    """Equations (3) to (5), written out with NumPy."""
    problem = build("diabetes")
    workers, dim, _ = problem.linear.shape
    parameters = Hyperparameters(tf.constant([RHO], tf.float64), tf.constant([0.0], tf.float64))
    unit = np.ones((workers, dim, 1))
    state, block = fadmm.init(problem.start, workers, "digital"), fadmm.prepare(problem, unit, parameters)
    link = DigitalLink(tf.zeros(1, tf.float64))
    lam, model = np.zeros((workers, dim)), np.zeros(dim)
    for _ in range(10):
        local = fadmm.local_update(state, problem, block)
        state, _ = fadmm.global_update(state, local, unit, link, parameters)
        matrix = problem.hessian[..., 0] + RHO * np.eye(dim)
        theta = np.linalg.solve(matrix, (problem.linear[..., 0] - lam + RHO * model)[..., None])[..., 0]
        model = np.mean(theta + lam / RHO, axis=0)
        lam = lam + RHO * (theta - model)
        np.testing.assert_allclose(state.model[0, :, 0], model, rtol=1e-10, atol=1e-13)
