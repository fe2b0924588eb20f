"""Elgabli et al.'s theory as executable properties of the recursion, with any consensus weights, and its limits."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.fadmm import compensated
from otafl.channels import antennas, multiple_access
from otafl.channels.beams import matched
from otafl.channels.combiners import COMBINERS
from otafl.channels.effective_channel import Effective
from otafl.channels.noise import complex_normal
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Radio
from tests.otafl.algorithms.conftest import (
    begun,
    build,
    noise_free,
    observed,
    one_iteration,
    over_channels,
    penalty,
    rayleigh_gains,
)
from tests.otafl.small import SMALL, group_of, settings_of
from tests.otafl.uplinks.links import draw_of, in_tensors

RHO = 0.5
TINY = 1e-12


def distance(mu, model, gain, problem):
    """Σ (μ − μ*)²/(ρ|h|²) + ρ|h|²(Θ − Θ*)², the sums of (22) and the Lyapunov function (64); μ* is −∇f(θ*), (17)."""
    best = -problem.gradient(tf.constant(problem.optimum)).slope.numpy()
    dual = np.sum((np.asarray(mu) - best) ** 2 / (RHO * gain))
    return dual + RHO * np.sum(gain * (np.asarray(model) - problem.optimum) ** 2)


def random_weights(problem, seed):
    """Weights over six decades, of each worker and element, in place of |h|²."""
    workers, dim, _ = problem.linear.shape
    return 10 ** np.random.default_rng(seed).uniform(-3, 3, (workers, dim, 1))


def require_theorem_1(it, problem, rounding=1.0):
    """(22) falls by at least ρ Σ |h|²(θ − Θ)², (63), and Σ_n μ_n = 0 by (41)."""
    before = distance(it.entered, it.before.model, it.gain, problem)
    after = distance(it.after.mu, it.after.model, it.gain, problem)
    least = RHO * np.sum(it.gain * (it.after.theta - it.before.model) ** 2) * (1 - 1e-9 * rounding)
    assert before - after >= least - rounding * TINY * max(before, 1.0)
    mu = it.after.mu
    assert np.abs(mu.sum(axis=0)).max() <= rounding * TINY * max(np.abs(mu).sum(axis=0).max(), 1.0)


@pytest.mark.daily(4)
@pytest.mark.parametrize(("weights", "rounding"), [(rayleigh_gains, 1.0), (random_weights, 1e3)])
def test_theorem_1_holds_across_channel_changes(problem, weights, rounding):
    """With any weights; (31) holds at θ, after a dual flip, too, which keeps the local models."""
    changes = 0
    for it in noise_free(problem, iterations=40, coherence=5, rho=RHO, weights=weights):
        require_theorem_1(it, problem, rounding)
        slope = problem.gradient(it.after.theta).slope.numpy()
        balance = slope + it.entered + RHO * it.gain * (it.after.theta - it.before.model)
        assert np.abs(balance).max() <= 1e-10 * rounding * max(np.abs(slope).max(), 1.0)
        assert not it.changed or (it.after.theta == it.before.theta).all()
        changes += it.changed
    assert changes == 7


STUDY = SMALL | {"method": "A-FADMM", "federation.workers": 6, "run.iterations": 40, "run.seeds": 2}
P, KAPPA = "algorithm.weight_exponent", "algorithm.path_loss_compensation"


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 4), st.floats(0, 2), st.integers(0, 2**31))
def test_weights_are_powers_of_gain_and_mean_gain(exponent, compensation, seed):
    rng = np.random.default_rng(seed)
    h, beta = complex_normal(rng, (3, 4, 5)), 10 ** rng.uniform(-6, 0, (3, 4, 1))
    made = METHODS["A-FADMM"]
    keys = settings_of("quickstart", STUDY | {P: exponent, KAPPA: compensation})
    found = made.consensus_weight(keys, np.abs(h) ** 2, beta)
    np.testing.assert_allclose(found, np.abs(h) ** exponent * beta**-compensation, rtol=1e-10)
    assert made.flips(keys) == (exponent > 0)
    np.testing.assert_array_equal(compensated(np.array([0.0, 4.0]), 0.5), [0.0, 0.5])  # no gain, no weight


@pytest.mark.parametrize("weighed", [False, True])
def test_symbols_are_those_of_the_constraint_scaled_for_each_worker(weighed):
    """x = c(conj(ch)θ + conj(λ)/ρ) for ch(θ - Θ) = 0, over the complex channel; c = 1 is the paper's A-FADMM."""
    rng, problem = np.random.default_rng(0), build("diabetes")
    workers, dim, _ = problem.linear.shape
    h, scale = complex_normal(rng, (workers, dim)), 10 ** (weighed * rng.uniform(-1, 1, (workers, dim)))
    scaled, weight = scale * h, (scale * np.abs(h)) ** 2
    channel = Effective(tf.constant(weight[..., None]), None, tf.constant(1 / np.abs(h[..., None]) ** 2), None)
    parameters, budget, variance = penalty(RHO), 0.3, 1e-4
    state, lam, model = begun(problem, parameters), np.zeros((workers, dim), complex), np.zeros(dim)
    for _ in range(10):
        noise = complex_normal(rng, (dim,), variance)
        radio = in_tensors(Radio(budget, np.sqrt(variance / 2), 1e-3, numbers={}))
        draw = draw_of(channel, tf.constant((noise.real / np.sqrt(variance / 2))[None, :, None]))
        _, state, _ = observed(state, *one_iteration(problem, parameters, radio, draw), Analog)

        hessian = problem.hessian[..., 0] + np.einsum("ni,ij->nij", RHO * weight, np.eye(dim))
        pull = problem.linear[..., 0] - (np.conj(lam) * scaled).real + RHO * weight * model
        theta = np.linalg.solve(hessian, pull[..., None])[..., 0]
        signals = scale * (np.conj(scaled) * theta + np.conj(lam) / RHO)
        model = multiple_access.aggregate(signals, h, noise, budget).real / weight.sum(axis=0)
        lam = lam + RHO * scaled * (theta - model)
        assert np.abs((np.conj(lam) * scaled).imag).max() < 1e-9
        np.testing.assert_allclose(state.server.model[0, :, 0], model, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(state.client.mu[..., 0], (np.conj(lam) * scaled).real, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("exponent", "keys"), [(0.0, {}), (2.0, {}), (2.0, {"cell.antennas": 2, "cell.worker_antennas": 3})]
)
def test_no_worker_transmits_above_its_budget(exponent, keys):
    made = otafl.run("quickstart", STUDY | keys | {P: exponent, "channel.snr_db": 10.0})
    assert np.nanmax(made["worker_power"].values) == pytest.approx(10 * 15e3 * 1e-9, rel=1e-6)


WORKERS, ANTENNAS, SUBCARRIERS = 5, 4, 2
KEYS = SMALL | {"method": "A-FADMM", "channel.snr_db": np.inf, "federation.workers": WORKERS, "run.seeds": 2}
KEYS |= {"uplink.subcarriers": SUBCARRIERS, "algorithm.rho": RHO}
SIDES = {
    **{name: {"cell.antennas": ANTENNAS, "uplink.combiner": name} for name in ("first", "principal", "max_min")},
    "workers": {"cell.worker_antennas": ANTENNAS},
    "both": {"cell.antennas": ANTENNAS, "cell.worker_antennas": 3, "uplink.combiner": "sca"},
}
STATIC, CHANGING = np.inf, 10.0


@pytest.fixture(params=SIDES)
def side(request):
    """Antennas on each side, and what combines them."""
    return SIDES[request.param]


def group(side, coherence):
    return group_of("quickstart", KEYS | side | {"channel.coherence_iterations": coherence})


def iterations(made, count):
    """A-FADMM over the channels that a group has, iteration by iteration, and its problem."""
    problem = LinearRegression(*made.task.shared(np.array([0])))

    def channel(k):
        return made.channels([int(k // made.coherence)]).of_block(0).each(lambda part: on_elements(made, part))

    radio = in_tensors(made.uplink.radio)
    return problem, over_channels(problem, count, made.coherence, channel, RHO, radio, Analog)


def on_elements(made, part):
    """From [workers, subcarriers, 1] to [workers, d, 1]."""
    return made.uplink.grid.on_elements(part[..., 0], made.elements)[..., None]


@pytest.mark.daily(4)
@pytest.mark.parametrize("coherence", [STATIC, CHANGING])
def test_theorem_1_holds_with_antennas(side, coherence):
    """Also where the channel changes; |g|² takes the place of |h|²."""
    changes = 0
    problem, run = iterations(group(side, coherence), 80)
    for it in run:
        require_theorem_1(it, problem)
        changes += it.changed
    assert changes == (0 if coherence == STATIC else 7)


def test_what_antennas_send_and_hear_is_what_the_server_takes_for_the_sum(side):
    """The next model is Re{w^H·y}/Σ|g|² of y = Σ_n h_n·x_n, antenna by antenna, with x = conj(g)·θ + conj(λ)/ρ."""
    made = group(side, STATIC)
    h = made.uplink.grid.on_elements(made.air.fading[0].gains(0, SUBCARRIERS), made.elements)
    norm, cell = antennas.amplitude(h), made.settings.cell
    if cell.antennas > 1 and cell.worker_antennas > 1:
        h = antennas.in_matrices(h, cell.worker_antennas)
        matrices = np.moveaxis(h, -1, 0)
        weights = COMBINERS["sca"]().weights_of_matrices(matrices)
        g = np.linalg.norm(np.einsum("ir,nrti->nti", weights.conj(), h), axis=1)
        beams = np.moveaxis(matched(weights, matrices), 0, -1)
        np.testing.assert_allclose(np.linalg.norm(beams, axis=1), 1.0)
    elif cell.worker_antennas > 1:
        g, beams, weights = norm, h.conj() / norm[:, None], np.ones((made.elements, 1))
        h = h[:, None]
    else:
        weights = COMBINERS[made.settings.uplink.combiner]().weights(np.moveaxis(h, -1, 0))
        g, beams, h = np.einsum("im,nmi->ni", weights.conj(), h), np.ones((WORKERS, 1, made.elements)), h[:, :, None]
    _, run = iterations(made, 5)
    for it in run:
        theta, mu = it.after.theta[..., 0], it.entered[..., 0]
        symbols = g.conj() * theta + mu / (RHO * g)
        received = np.einsum("nrti,nti->ri", h, beams * symbols[:, None])
        heard = np.einsum("ir,ri->i", weights.conj(), received).real
        np.testing.assert_allclose(it.after.model[0, :, 0], heard / np.sum(np.abs(g) ** 2, axis=0), rtol=1e-9)
