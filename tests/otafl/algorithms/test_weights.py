"""Consensus weights |h|^p over mean gains to the power of κ: the theory of A-FADMM with any weights, and its limits."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import exp1, gamma

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.fadmm import compensated
from otafl.channels import multiple_access
from otafl.channels.effective_channel import Effective
from otafl.channels.fading import RayleighFading
from otafl.channels.noise import complex_normal
from otafl.engine.costs import Ledger
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from otafl.privacy import assess
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import Radio
from otafl.uplinks.link import Numbers
from tests.otafl.algorithms.conftest import begun, build, noise_free, observed, one_iteration, penalty
from tests.otafl.algorithms.test_fadmm import RHO, TINY, distance, optimal_dual
from tests.otafl.uplinks.links import draw_of

WORKERS = 6
SMALL = {
    "problem.dataset": "synthetic",
    "problem.dimension": 4,
    "problem.samples": 300,
    "federation.workers": WORKERS,
    "run.iterations": 40,
    "run.seeds": 2,
}
EXACT = {"channel.snr_db": np.inf}
DIGITAL = {"method": "D-FADMM", "uplink.bits_per_element": 64}
"""D-FADMM of which nothing is rounded."""
P, KAPPA = "algorithm.weight_exponent", "algorithm.path_loss_compensation"


def run(**keys):
    return otafl.run(
        "quickstart",
        SMALL | {"channel.coherence_iterations": 5} | {key.replace("__", "."): value for key, value in keys.items()},
    )


def settings_of(**keys):
    keys = SMALL | {key.replace("__", "."): value for key, value in keys.items()}
    return next(otafl.load("quickstart", {"method": "A-FADMM"} | keys).points())[1]


def random_weights(problem, seed):
    """Weights over six decades, of each worker and element."""
    workers, dim, _ = problem.linear.shape
    return 10 ** np.random.default_rng(seed).uniform(-3, 3, (workers, dim, 1))


def test_the_optimum_is_a_fixed_point_with_any_weights(problem):
    """Θ = θ_n = θ* and μ = μ* stay: weights are penalties, not weights of the objective."""
    workers, dim, _ = problem.linear.shape
    optimum, parameters = tf.constant(problem.optimum), penalty(RHO)
    state = begun(problem, parameters)
    theta = tf.repeat(tf.reshape(optimum, (1, dim, 1)), workers, axis=0)
    server = state.server._replace(model=theta[:1])
    state = state._replace(
        server=server,
        client=state.client._replace(theta=theta, mu=tf.constant(optimal_dual(problem))),
        heard=(theta[:1],),
    )
    for seed, changed in ((1, False), (2, True)):
        weights = random_weights(problem, seed)
        channel = Effective(tf.constant(weights), None, tf.constant(1 / weights), None)
        columns, draw = one_iteration(problem, parameters, Numbers({}), draw_of(channel))
        _, state, _ = observed(state, columns, draw._replace(changed=changed))
        np.testing.assert_allclose(state.server.model[0, :, 0], np.ravel(problem.optimum), rtol=1e-7, atol=1e-9)


def test_theorem_1_holds_with_any_weights_across_channel_changes(problem):
    for it in noise_free(problem, iterations=40, coherence=5, rho=RHO, weights=random_weights):
        before = distance(it.entered, it.before.model, it.gain, problem)
        after = distance(it.after.mu, it.after.model, it.gain, problem)
        moved = it.after.theta - it.before.model
        assert before - after >= RHO * np.sum(it.gain * moved**2) * (1 - 1e-6) - 1e3 * TINY * max(before, 1.0)


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 4), st.floats(0, 2), st.integers(0, 2**31))
def test_weights_are_powers_of_gain_and_mean_gain(exponent, compensation, seed):
    rng = np.random.default_rng(seed)
    h, beta = complex_normal(rng, (3, 4, 5)), 10 ** rng.uniform(-6, 0, (3, 4, 1))
    made = METHODS["A-FADMM"]
    keys = settings_of(algorithm__weight_exponent=exponent, algorithm__path_loss_compensation=compensation)
    found = made.consensus_weight(keys, np.abs(h) ** 2, beta)
    np.testing.assert_allclose(found, np.abs(h) ** exponent * beta**-compensation, rtol=1e-10)
    assert made.flips(keys) == (exponent > 0)


def test_a_worker_without_gain_has_no_weight():
    np.testing.assert_array_equal(compensated(np.array([0.0, 4.0]), 0.5), [0.0, 0.5])


@pytest.mark.parametrize("weighed", [False, True])
def test_symbols_are_those_of_the_constraint_scaled_for_each_worker(weighed):
    """x = c(conj(ch)θ + conj(λ)/ρ) for the constraint ch(θ - Θ) = 0, over the complex multiple-access channel; c = 1
    is the paper's A-FADMM."""
    rng, problem = np.random.default_rng(0), build("diabetes")
    workers, dim, _ = problem.linear.shape
    h, scale = complex_normal(rng, (workers, dim)), 10 ** (weighed * rng.uniform(-1, 1, (workers, dim)))
    scaled, weight = scale * h, (scale * np.abs(h)) ** 2
    channel = Effective(tf.constant(weight[..., None]), None, tf.constant(1 / np.abs(h[..., None]) ** 2), None)
    parameters, budget, variance = penalty(RHO), 0.3, 1e-4
    state, lam, model = begun(problem, parameters), np.zeros((workers, dim), complex), np.zeros(dim)
    for _ in range(10):
        noise = complex_normal(rng, (dim,), variance)
        radio = Radio(*(tf.constant([v], tf.float64) for v in (budget, np.sqrt(variance / 2), 1e-3)), numbers={})
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


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0, 3.0])
def test_power_of_both_parts_of_a_symbol(exponent):
    """E|w/h|² = Γ(p) for the model, over Rayleigh fading; 1 at any gain for p = 1. The dual's is E1(ε²) beyond ε."""
    h = np.abs(RayleighFading().sample(np.random.default_rng(1), 1000, 2000))
    model = (h**exponent / h) ** 2
    if exponent == 1:
        np.testing.assert_allclose(model, 1, rtol=1e-12)
    assert model.mean() == pytest.approx(gamma(exponent), rel=0.02)
    assert np.mean((h > 0.1) / h**2) == pytest.approx(exp1(0.01), rel=0.02)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0])
def test_no_worker_transmits_above_its_budget(exponent):
    made = run(method="A-FADMM", channel__snr_db=10.0, **{P: exponent})
    budget = 10 * 15e3 * 1e-9
    assert np.nanmax(made["worker_power"].values) == pytest.approx(budget, rel=1e-6)


def test_without_fading_in_its_weights_it_is_plain_admm():
    """p = 0 without noise: A-FADMM is D-FADMM (3) to (5), no worker ever solves for its dual."""
    one, other = run(method="A-FADMM", **{P: 0.0}, **EXACT), run(**DIGITAL, **EXACT)
    np.testing.assert_allclose(one["loss"].squeeze(), other["loss"].squeeze(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("keys", [{P: 1.0}, {P: 1.0, KAPPA: 0.5}, {P: 1.0, "federation.participation": 0.5}])
def test_without_noise_both_uplinks_have_the_same_weights(keys):
    keys = keys | EXACT | {"cell.radius_m": 100.0}
    one = run(method="A-FADMM", **keys)
    other = run(**DIGITAL, algorithm__consensus="channel_weighted", **keys)
    np.testing.assert_allclose(one["loss"].squeeze(), other["loss"].squeeze(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_path_loss_compensated_in_full_is_no_path_loss(exponent):
    """κ = p/2 without noise: the weights in a cell are those of equal mean gains."""
    cell = {"cell.radius_m": 200.0, "cell.shadowing_db": 6.0}
    one = run(method="A-FADMM", **{P: exponent, KAPPA: exponent / 2}, **cell, **EXACT)
    other = run(method="A-FADMM", **{P: exponent}, **EXACT)
    np.testing.assert_allclose(one["loss"].squeeze(), other["loss"].squeeze(), rtol=1e-6, atol=1e-12)


def test_an_analog_downlink_without_noise_is_a_digital_one():
    keys = {"method": "A-FADMM", P: 1.0} | EXACT
    one, other = run(**keys, uplink__downlink="analog"), run(**keys)
    np.testing.assert_allclose(one["loss"], other["loss"], rtol=1e-6, atol=1e-12)


@pytest.mark.slow
def test_weights_of_networks_in_parts_are_those_in_one():
    keys = {"method": "A-SFADMM", P: 1.0, KAPPA: 0.5, "cell.radius_m": 100.0, "run.iterations": 3, "run.seeds": 1}
    keys |= {"federation.workers": 6, "local.steps": 2, "federation.participation": 0.5}
    one, other = (otafl.run("digits_quickstart", keys | more) for more in ({}, {"run.worker_chunk": 2}))
    np.testing.assert_allclose(one["loss"], other["loss"], rtol=1e-4)


@pytest.mark.parametrize(
    ("keys", "reports"),
    [
        ({P: 2.0}, ((256,), (256,))),
        ({P: 1.0}, ((256,), (256,))),
        ({P: 1.0, KAPPA: 0.5}, ((256, 64), (256,))),
        ({P: 0.0, KAPPA: 1.0}, ((64,), ())),
        ({P: 0.0}, ((), ())),
    ],
)
def test_side_information_on_weights_by_hand(keys, reports):
    """64 bits for the gain of each of 4 subcarriers in a block where weights fade, and 64 for the mean gain once."""

    def ledger(**more):
        made = settings_of(channel__fading="none", channel__snr_db=20.0, **keys, **more)
        return Ledger(Group([RunSpec(made, seed) for seed in range(2)]))

    who = Participants(np.arange(WORKERS), np.zeros(WORKERS), True)
    charged, free = ledger(uplink__charge_side_information=True), ledger()
    rate = 10 / WORKERS * np.log2(1 + 100 * 15)
    for block, bits in enumerate(reports):
        first, second = (charged.enter(block, who, 2) - free.enter(block, who, 2))[:, 0]
        np.testing.assert_allclose(first - second, sum(np.ceil(np.array(bits) / rate)))


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_privacy_counts_do_not_depend_on_weights_that_fade():
    counts = [
        assess("quickstart", SMALL | {"method": "A-FADMM", P: exponent, "run.iterations": 8})["private"].values
        for exponent in (2.0, 1.0)
    ]
    np.testing.assert_array_equal(*counts)


def test_weights_are_refused_where_there_are_none():
    with pytest.raises(OtaflError, match=r"weight_exponent = 1\.0: D-FADMM over the digital uplink does not read it"):
        settings_of(method="D-FADMM", **{P: 1.0})
    with pytest.raises(OtaflError, match="weight_exponent = -1"):
        settings_of(**{P: -1.0})
