"""The federated methods on convex problems: theorems, fixed points and conditions of the papers they come from."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS, fedadmm_insa, federated
from otafl.algorithms.local_problem import Model, Nothing
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
    a_round,
    drive,
    gathered,
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

    def after(who: tuple[int, ...]) -> tuple:
        weight, count = (tf.fill([len(who), 1, 1], tf.constant(value, tf.float64)) for value in (1 / WORKERS, 7.0))
        return play(tf.constant(who), last.after, weight, count, tf.ones([1, 1, 1], tf.float64))

    drawn = [after(pair)[0] for pair in itertools.combinations(range(WORKERS), 2)]
    expected = np.mean([one.model + one.dual - server.dual for one in drawn], axis=0)
    moved = (clients.dual - after(tuple(range(WORKERS)))[1].dual).numpy().mean(axis=0) / 2
    np.testing.assert_allclose(expected, server.model - server.dual + step * 2 / WORKERS * moved, atol=1e-12)


def lipschitz(problem: LinearRegression) -> float:
    return float(np.linalg.eigvalsh(problem.hessian.numpy()[..., 0]).max())


def value(problem: LinearRegression, theta: np.ndarray) -> float:
    """Σ f_n(θ_n) up to the constants of f_n."""
    curved = np.einsum("nijr,njr->nir", problem.hessian, theta)
    return float(np.sum(theta * (0.5 * curved - problem.linear)))


@pytest.mark.parametrize("descends", [4, *(pytest.param(number, marks=pytest.mark.slow) for number in (0, 20))])
def test_theorem_1_of_gong(descends):
    """(8): the mean of V over rounds stays below its bound, for exact and inexact local solutions (6)."""
    problem = quadratics()
    length = lipschitz(problem)
    rho, share, runs, rounds = 3.5 * length, 2 / WORKERS, 12, 30
    p = parameters(rho=rho, server_step=share)
    best = value(problem, np.repeat(problem.optimum.numpy(), WORKERS, axis=0))
    total, worst, ends = 0.0, 0.0, []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        who = [sorted(rng.choice(WORKERS, 2, replace=False).tolist()) for _ in range(rounds)]
        for step in drive("FedADMM-Gong", who, descends, p):
            total += optimality_gap(problem, step.before, rho) / runs
            worst = max(worst, inexactness(problem, step, rho))
        ends.append(optimality_gap(problem, step.after, rho) / optimality_gap(problem, begun(problem), rho))
    c1 = share * ((rho - 2 * length) / 2 - 2 * length**2 / rho)
    c2 = 3 * (length**2 + rho**2) + 2 * (1 + 2 * length**2 / rho**2)
    c3 = 3 + 16 / rho**2 + c2 / c1 * (rho + 16 * length) / (2 * length * rho)
    begin = value(problem, np.zeros((WORKERS, DIM, 1)))
    times = WORKERS * rounds
    bound = c2 / c1 * (begin - best + WORKERS / (2 * length) * worst) / times + c3 * worst
    assert descends or worst < 1e-20
    assert 0 < total / times <= bound
    assert np.mean(ends) < 0.02


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


def test_fedadmm_of_gong_by_4_from_the_global_model_wants_exact_solutions():
    """With η = 1 and a few local steps from θ, (4) diverges; from w, which it is the change of, it does not."""
    who = [sorted(np.random.default_rng(k).choice(WORKERS, 2, replace=False).tolist()) for k in range(600)]
    far = {}
    for start in ("global", "local"):
        *_, last = drive("FedADMM-Gong", who, 5, parameters(rho=0.05), warm_start=start)
        far[start] = float(tf.norm(last.after[0].model))
    assert far["local"] < 10
    assert not far["global"] < 1e3


def begun(problem: LinearRegression):
    """Server and workers before the first round."""
    zero = tf.zeros_like(problem.linear)
    return Model(zero[:1]), (zero, zero)


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

    FedVRA-U and FedSGD make no local steps on a convex problem.
    """
    p = parameters(rho=0.7, aggregation_step=1.0)
    *_, last = drive(name, FULL * 15, 5, p, warm_start="global")
    error = float(tf.norm(last.after[0].model - quadratics().optimum))
    drifts = name in ("FedAvg", "FedAdam", "FedProx", "FedNova")
    assert (error > 1e-3) if drifts else (error < 1e-6), error


UNEVEN = np.array([0.3, 0.1, 0.05, 0.25, 0.2, 0.1])


def weighted_optimum() -> np.ndarray:
    """Where Σω_i f_i is least."""
    hessian, linear = (np.tensordot(UNEVEN, leaf.numpy(), 1) for leaf in quadratics()[:2])
    return np.linalg.solve(hessian[..., 0], linear)


def test_weights_weigh_the_objective():
    """FedVRA ends at the minimum of Σω_i f_i; FedSGD is gradient descent on it; a = γ = 0, d = 1 is FedAvg."""
    p = parameters(aggregation_step=1.0)
    *_, last = drive("FedVRA", FULL * 30, 5, p, weights=UNEVEN)
    np.testing.assert_allclose(last.after[0].model[0], weighted_optimum(), atol=1e-6)
    assert np.abs(weighted_optimum() - quadratics().optimum.numpy()[0]).max() > 0.1
    first, *_ = drive("FedSGD", FULL, 0, p, weights=UNEVEN)
    slope = np.tensordot(UNEVEN, quadratics().linear.numpy(), 1)
    np.testing.assert_allclose(first.after[0].model[0], RATE * slope, atol=1e-14)
    p = parameters(rho=0.0, dual_step=0.0, aggregation_step=1.0)
    same(drive("FedVRA", FULL, 7, p, weights=UNEVEN), drive("FedAvg", FULL, 7, weights=UNEVEN))


def test_weights_of_fednova_and_fedavg_among_participants():
    """With equal steps FedNova is FedAvg, whose model is the mean weighed by the participants' ω."""
    nova, average = (list(drive(name, PARTIAL, 7, weights=UNEVEN)) for name in ("FedNova", "FedAvg"))
    same(nova, average)
    own = Descent(LinearRegression(*(tf.gather(leaf, PARTIAL[0]) for leaf in quadratics()[:2]), None), np.full(2, 7), 7)
    local = own.path(tf.zeros([1, DIM, 1], tf.float64))[0][-1].numpy()
    share = UNEVEN[PARTIAL[0]] / UNEVEN[PARTIAL[0]].sum()
    np.testing.assert_allclose(average[0].after[0].model[0], np.tensordot(share, local, 1), atol=1e-13)


def test_fedpd_between_uploads_goes_on_alone():
    """Algorithm of FedPD: without an upload x_0i = x_i + λ_i/ρ and the global model stays."""
    rng = np.random.default_rng(1)
    ends = (rng.random(40) < 0.4).astype(float)
    steps = list(drive("FedPD", FULL * 4, 5, uploads=ends))
    for step, end in zip(steps, ends, strict=True):
        server, clients = step.after
        x, dual, common = clients
        np.testing.assert_allclose(common, x + dual / 0.7, atol=1e-13)
        expected = tf.reduce_mean(common, axis=0, keepdims=True) if end else step.before[0].model
        np.testing.assert_allclose(server.model, expected, atol=1e-13)


def test_memory_mixes_the_new_average_with_the_old_model():
    """(3.1): z ← ω·average + (1 − ω)z, which ends at the optimum too."""
    steps = list(drive("FedADMM", PARTIAL * 12, 5, parameters(memory_weight=0.4)))
    for step in steps[:20]:
        w, dual, beta, _ = step.after[1]
        average = tf.reduce_sum(beta * w - dual, axis=0) / tf.reduce_sum(beta, axis=0)
        expected = 0.4 * average + 0.6 * step.before[0].model[0]
        np.testing.assert_allclose(step.after[0].model[0], expected, atol=1e-12)
    assert float(tf.norm(steps[-1].after[0].model - quadratics().optimum)) < 1e-4


@pytest.mark.parametrize("reference", ["global", "local"])
@pytest.mark.parametrize("method", [pytest.param("FedADMM-In", marks=pytest.mark.slow), "FedADMM-InSa"])
def test_criterion_is_met_in_every_round(method, reference):
    """(3.7) with σ of (3.8), c = 0.2, and the method converges; 100 steps are never needed."""
    p, problem = parameters(strong_convexity=0.2, penalty_factor=2.0, penalty_ratio=5.0), quadratics()
    steps = list(drive(method, PARTIAL, 100, p, residual_at=reference))
    for step in steps:
        (server, before), who = step.before, step.who
        u, dual, beta, _ = gathered(before, who)
        part = LinearRegression(*(tf.gather(leaf, who) for leaf in problem[:2]), problem.optimum)

        def residual(theta, dual=dual, beta=beta, z=server.model, part=part):
            theta = tf.zeros_like(dual) + theta
            return tf.norm(part.gradient(theta).slope - dual + beta * (theta - z), axis=[1, 2])

        most = residual(server.model if reference == "global" else u)
        sigma = np.sqrt(2) / (np.sqrt(2) + np.sqrt(beta[:, 0, 0] / 0.2))
        assert np.all(residual(tf.gather(step.after[1].model, who)) <= sigma * most + 1e-14)
    begin, end = (
        float(tf.norm(theta - problem.optimum))
        for theta in (tf.zeros([1, DIM, 1], tf.float64), steps[-1].after[0].model)
    )
    assert end < 0.2 * begin


def test_insa_adapts_its_penalty_as_the_residuals_ask():
    """(3.15): β doubles where ‖u' − z‖ is over μβ‖u' − u‖, halves where it is under 1/μ of it, else stays."""
    method = METHODS["FedADMM-InSa"]
    p = parameters(penalty_ratio=5.0, penalty_factor=2.0)
    zero, ones = tf.zeros([3, DIM, 1], tf.float64), tf.ones([3, 1, 1], tf.float64)
    model = zero + 1.0
    before = fedadmm_insa.Client(model - [[[0.01]], [[1.0]], [[9.0]]], zero, ones, ones)
    server = fedadmm_insa.Server(zero[:1], zero[:1], ones[:1])
    now = a_round(quadratics(), p, options(workers=3), ones / 3, ones, ones[:1], server)
    np.testing.assert_array_equal(method.adapted(before, model, server, now)[:, 0, 0], [2.0, 1.0, 0.5])


def test_nothing_is_kept_where_nothing_need_be():
    """FedAvg and its like keep no rows, FedADMM of Wang et al. two vectors, those with one dual one."""
    kept = {"FedAvg": 0, "FedProx": 0, "FedNova": 0, "SCAFFOLD": 1, "FedDyn": 1, "FedVRA": 1, "FedADMM-Gong": 2}
    for name, count in kept.items():
        _, client = METHODS[name].init(tf.zeros([1, DIM, 1]), options(workers=3), parameters())
        assert len(client) == count
    assert Nothing() == ()
    assert federated.PrimalDual._fields == ("model", "dual")
