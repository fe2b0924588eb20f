"""The federated methods on convex problems: theorems, fixed points, conditions, and where one is another."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.algorithms.proximal import PROXIMAL
from otafl.problems.linear_regression import LinearRegression
from tests.otafl.algorithms.quadratics import (
    DIM,
    FULL,
    PARTIAL,
    RATE,
    WORKERS,
    Descent,
    Step,
    drive,
    one_step,
    options,
    parameters,
    quadratics,
    same,
)
from tests.otafl.small import FEDERATED


def test_lemma_1_of_fedvra_on_a_run():
    """(11) and (12) of Wang et al. at every round, participant and local step of the ADMM (a = d = 1)."""
    gamma, quantity, last = 0.7, 7, None
    for step in drive("FedVRA", PARTIAL, quantity, parameters(dual_step=1.0, aggregation_step=1.0)):
        (server, clients), who = step.before, step.who
        lam, mean = gamma * clients.dual.numpy(), gamma * server.dual.numpy()
        centre = server.model.numpy() + mean / gamma
        if last is not None:
            np.testing.assert_allclose(centre, last, atol=1e-12)
        part = LinearRegression(*(tf.gather(leaf, who) for leaf in quadratics()[:2]), quadratics().optimum)
        points, slopes = Descent(part, np.full(2, quantity), quantity).path(
            server.model, -lam[who], gamma, server.model
        )
        shrunk = RATE / (1 - gamma * RATE)
        for now, after, slope in zip(points, points[1:], slopes, strict=False):
            right = (1 - gamma * RATE) * (now - shrunk * (slope + mean - lam[who])) + gamma * RATE * centre
            np.testing.assert_allclose(after, right, atol=1e-12)
        shares = (1 - gamma * RATE) ** np.arange(quantity - 1, -1, -1)
        total = shares.sum()
        accumulated = sum(share / total * slope for share, slope in zip(shares, slopes, strict=True))
        right = gamma * RATE * total * accumulated + (1 - gamma * RATE * total) * lam[who]
        np.testing.assert_allclose(gamma * tf.gather(step.after[1].dual, who), right, atol=1e-12)
        x = np.repeat(server.model.numpy(), WORKERS, axis=0)
        x[who] = points[-1]
        last = x.mean(axis=0, keepdims=True)


@pytest.mark.parametrize("step", [1.0, WORKERS / 2])
def test_bias_of_fedvra_under_sampling(step):
    """(15), (16) of Wang et al., over all pairs of workers: with d = N/m the model before the gradient step is in the
    mean that of all workers, with d = 1 the old model has a share of 1 - m/N."""
    p = parameters(dual_step=2.0, aggregation_step=step)
    *_, last = drive("FedVRA", PARTIAL, 7, p)
    (server, clients), play = last.after, one_step(METHODS["FedVRA"], p, options(), 7)
    drawn = [play(tf.constant(pair), last.after)[0] for pair in itertools.combinations(range(WORKERS), 2)]
    expected = np.mean([one.model + one.dual - server.dual for one in drawn], axis=0)
    _, moved_all = play(tf.range(WORKERS), last.after)
    moved = (clients.dual - moved_all.dual).numpy().mean(axis=0) / 2
    np.testing.assert_allclose(expected, server.model - server.dual + step * 2 / WORKERS * moved, atol=1e-12)


def value(problem: LinearRegression, theta: np.ndarray) -> float:
    """Σ f_n(θ_n) up to the constants of f_n."""
    curved = np.einsum("nijr,njr->nir", problem.hessian, theta)
    return float(np.sum(theta * (0.5 * curved - problem.linear)))


@pytest.mark.parametrize("descends", [4, *(pytest.param(number, marks=pytest.mark.slow) for number in (0, 20))])
def test_theorem_1_of_gong(descends):
    """(8): the mean of V over rounds stays below its bound, for exact and inexact local solutions (6)."""
    problem = quadratics()
    length = float(np.linalg.eigvalsh(problem.hessian.numpy()[..., 0]).max())
    rho, share, runs, rounds = 3.5 * length, 2 / WORKERS, 6, 30
    p = parameters(rho=rho, server_step=share)
    best = value(problem, np.repeat(problem.optimum.numpy(), WORKERS, axis=0))
    total, worst, ends = 0.0, 0.0, []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        who = [sorted(rng.choice(WORKERS, 2, replace=False).tolist()) for _ in range(rounds)]
        steps = list(drive("FedADMM-Gong", who, descends, p))
        for step in steps:
            total += optimality_gap(problem, step.before, rho) / runs
            worst = max(worst, inexactness(problem, step, rho))
        ends.append(optimality_gap(problem, steps[-1].after, rho) / optimality_gap(problem, steps[0].before, rho))
    c1 = share * ((rho - 2 * length) / 2 - 2 * length**2 / rho)
    c2 = 3 * (length**2 + rho**2) + 2 * (1 + 2 * length**2 / rho**2)
    c3 = 3 + 16 / rho**2 + c2 / c1 * (rho + 16 * length) / (2 * length * rho)
    begin = value(problem, np.zeros((WORKERS, DIM, 1)))
    times = WORKERS * rounds
    bound = c2 / c1 * (begin - best + WORKERS / (2 * length) * worst) / times + c3 * worst
    assert descends or worst < 1e-20
    assert 0 < total / times <= bound
    assert np.mean(ends) < 0.02


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("stored", "step", "pull"),
    [
        ("own", 2 / WORKERS, 0.0),
        ("own", 1.0, 1 - 2 / WORKERS),
        ("own", 0.5, 1 - 4 / WORKERS),
        ("global", 1.0, -1 / WORKERS),
    ],
)
def test_where_fedadmm_of_gong_rests(stored, step, pull):
    """∇f = ρ(1 − |S|/(mη))(θ − θ⁰) for (4), so that η = |S|/m alone is exact; −ρ|S|/(2mη)(θ − θ⁰) for 2(w − θ)."""
    problem, rng = quadratics(), np.random.default_rng(1)
    start = tf.constant(rng.standard_normal((1, DIM, 1)))
    who = [sorted(rng.choice(WORKERS, 2, replace=False).tolist()) for _ in range(600)]
    p = parameters(rho=0.3, server_step=step)
    *_, last = drive("FedADMM-Gong", who, 0, p, start, warm_start="global", stored_model=stored)
    model = last.after[0].model
    slope = tf.reduce_mean(problem.gradient(model).slope, axis=0, keepdims=True)
    np.testing.assert_allclose(slope, 0.3 * pull * (model - start), atol=1e-9)


def optimality_gap(problem: LinearRegression, state, rho: float) -> float:
    """V of (7)."""
    (server, (w, y)) = state
    away = w - server.model
    local = problem.gradient(w).slope + y + rho * away
    common = tf.reduce_sum(-y - rho * away, axis=0)
    return float(sum(tf.reduce_sum(part**2) for part in (common, local, away)))


def inexactness(problem: LinearRegression, step: Step, rho: float) -> float:
    """The largest ε of (6) in a round."""
    w, y = step.after[1].model, step.before[1].dual
    slope = problem.gradient(w).slope + y + rho * (w - step.before[0].model)
    return float(tf.reduce_max(tf.reduce_sum(tf.gather(slope, step.who) ** 2, axis=[1, 2])))


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("method", "relaxation", "regulariser"),
    [("FedADMM-Wang", 1.0, "l1"), ("FedADMM-Wang", 1.0, "box"), ("FedDR", 1.4, "l2"), ("FedDR", 0.6, "l1")],
)
def test_fixed_point_is_stationary(method, relaxation, regulariser):
    """0 ∈ ∇f + ∂g where the methods of Wang et al. come to rest: with l1, x = soft(x − ∇f, κ)."""
    p, problem = parameters(rho=1.0, regulariser_weight=0.15, relaxation=relaxation), quadratics()
    *_, last = drive(method, PARTIAL * 24, 0, p, regulariser=regulariser)
    model = last.after[0].model
    slope = tf.reduce_mean(problem.gradient(model).slope, axis=0, keepdims=True)
    weight = tf.constant(0.15, tf.float64)
    step = PROXIMAL[regulariser](model - slope, tf.constant(1.0, tf.float64), weight)
    np.testing.assert_allclose(step, model, atol=1e-9)
    if regulariser == "l1":
        zero = np.abs(model.numpy()) < 1e-12
        assert 0 < zero.sum() < DIM
        assert np.abs(slope.numpy()[zero]).max() <= 0.15
        np.testing.assert_allclose(slope.numpy()[~zero], -0.15 * np.sign(model.numpy()[~zero]), atol=1e-9)


@pytest.mark.parametrize("name", [name for name in FEDERATED if name not in ("FedVRA-U", "FedSGD")])
def test_drift_free_methods_reach_the_optimum(name):
    """Heterogeneous quadratics, 5 local steps, all workers: corrected methods end at the optimum, others beside it.
    FedVRA-U and FedSGD make no local steps on a convex problem."""
    p = parameters(rho=0.7, aggregation_step=1.0)
    *_, last = drive(name, FULL * 15, 5, p, warm_start="global")
    error = float(tf.norm(last.after[0].model - quadratics().optimum))
    drifts = name in ("FedAvg", "FedAdam", "FedProx", "FedNova")
    assert (error > 1e-3) if drifts else (error < 1e-6), error


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("regulariser", "rounds", "descends"),
    [("none", PARTIAL, 7), ("l1", FULL, 0), ("l2", FULL, 7), ("box", PARTIAL, 0)],
)
def test_fedadmm_of_wang_is_feddr(regulariser, rounds, descends):
    """Theorem 1 of Wang et al.: equal models with η and 1/η, and s = x − z/η, u = x between what workers keep."""
    eta = 1.6
    one = list(drive("FedADMM-Wang", rounds, descends, parameters(rho=eta), regulariser=regulariser))
    other = list(drive("FedDR", rounds, descends, parameters(proximal_step=1 / eta), regulariser=regulariser))
    same(one, other)
    for a, b in zip(one, other, strict=True):
        x, z = a.after[1]
        active = a.who
        np.testing.assert_allclose(b.after[1].model, x, atol=1e-12)
        np.testing.assert_allclose(tf.gather(b.after[1].centre, active), tf.gather(x - z / eta, active), atol=1e-12)


def test_fedvra_with_unit_steps_is_the_admm_of_its_paper():
    """(7a) to (7c) with exact minimisers, all workers, and equal weights."""
    gamma, problem = 0.7, quadratics()
    steps = list(drive("FedVRA", FULL, 0, parameters(dual_step=1.0, aggregation_step=1.0)))
    common, dual = np.zeros((1, DIM, 1)), np.zeros((WORKERS, DIM, 1))
    for step in steps:
        weight = np.full((WORKERS, DIM, 1), gamma)
        x = problem.solve(common, -dual, weight, common, penalised=problem.penalise(weight)).theta.numpy()
        dual = dual + gamma * (common - x)
        common = np.mean(x - dual / gamma, axis=0, keepdims=True)
        np.testing.assert_allclose(step.after[0].model, common, atol=1e-12)
        np.testing.assert_allclose(gamma * step.after[1].dual, dual, atol=1e-12)


TAU = 50.0
GREAT_TAU = {"server_step": 2 * TAU, "first_moment_decay": 0.0, "second_moment_decay": 1.0, "adaptivity": TAU}
"""FedAdam's step ηm/(√v + τ) is ηm/2τ where v stays at τ², its decay being 1; without momentum m is FedAvg's mean."""
NO_DUAL = {"dual_step": 0.0, "aggregation_step": WORKERS / 2}
ACCURATE = {"strong_convexity": 1e-30, "penalty_factor": 1.0}
SHARE = {"server_step": 2 / WORKERS}
GLOBAL = {"warm_start": "global"}
SAME = {
    "vanilla is Wang": (PARTIAL, ("FedADMM", {}), ("FedADMM-Wang", {}), GLOBAL),
    "Gong with the share as step is Wang": (PARTIAL, ("FedADMM-Gong", SHARE), ("FedADMM-Wang", {}), {}),
    "Wang with all workers is FedPD": (FULL, ("FedADMM-Wang", {}), ("FedPD", {}), {}),
    "also from the global model": (FULL, ("FedADMM-Wang", {}), ("FedPD", {}), GLOBAL),
    "no penalty": (PARTIAL, ("FedProx", {"rho": 0.0}), ("FedAvg", {}), {}),
    "FedAdam of great τ": (PARTIAL, ("FedAdam", GREAT_TAU), ("FedAvg", {}), {}),
    "section 3 of FedVRA: FedAvg": (PARTIAL, ("FedVRA", NO_DUAL | {"rho": 0.0}), ("FedAvg", {}), {}),
    "section 3 of FedVRA: FedProx": (PARTIAL, ("FedVRA", NO_DUAL), ("FedProx", {}), {}),
    "section 3 of FedVRA: FedDyn": (PARTIAL, ("FedVRA", NO_DUAL | {"dual_step": 1.0}), ("FedDyn", {}), {}),
    "all take part": (FULL, ("VRL-SGD", {}), ("SCAFFOLD", {}), {}),
    "no share": (PARTIAL, ("FedADMM-InSa", ACCURATE), ("FedADMM", {}), {}),
}
"""Rounds, two methods with parameters that are the same by their papers, and options of both."""


@pytest.mark.parametrize("case", SAME)
def test_one_method_is_another(case):
    rounds, *methods, options = SAME[case]
    same(*(drive(name, rounds, 7, parameters(**numbers), **options) for name, numbers in methods))
