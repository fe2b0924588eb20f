"""The federated methods on convex problems: equivalences, limits and theorems of the papers they come from."""

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from otafl.problems.problem import Minimiser

from otafl import algorithms
from otafl.algorithms import fedadmm_wang, fedvra, scaffold
from otafl.algorithms.federated import Model, Nothing, Options, Parameters, Round
from otafl.algorithms.proximal import PROXIMAL
from otafl.problems.linear_regression import LinearRegression

WORKERS, DIM = 6, 4
RATE = 0.05
ALWAYS = np.ones(10_000)
EQUAL = np.full(WORKERS, 1 / WORKERS)
REGULARISERS = ["none", "l1", "l2", "box"]
FULL = [list(range(WORKERS))] * 12
PARTIAL = [sorted(np.random.default_rng(k).choice(WORKERS, 2, replace=False).tolist()) for k in range(25)]


def parameters(**values) -> Parameters:
    """Parameters of one run, in double precision."""
    given = dict.fromkeys(Parameters._fields, 1.0) | {"rho": 0.7, "learning_rate": RATE, "regulariser_weight": 0.05}
    return Parameters(*(tf.constant(np.atleast_1d(value), tf.float64) for value in (given | values).values()))


def quadratics(seed: int = 0) -> LinearRegression:
    """Strongly convex quadratic losses with minimisers far from each other."""
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((WORKERS, DIM, DIM))
    hessian = (roots @ roots.transpose(0, 2, 1) / DIM + 0.2 * np.eye(DIM))[..., None]
    linear = rng.standard_normal((WORKERS, DIM, 1))
    optimum = np.linalg.solve(hessian.sum(axis=0)[..., 0], linear.sum(axis=0))[None]
    return LinearRegression(*map(tf.constant, (hessian, linear, optimum)))


class Descent(NamedTuple):
    """Quadratics whose local problems are not solved but descended for some steps of plain gradient descent."""

    exact: LinearRegression
    steps: np.ndarray

    def gradient(self, theta):
        return self.exact.gradient(theta)

    def path(self, start, dual=None, weight=None, anchor=None):
        """All points of the descent, [most + 1, workers, d, 1], and the gradients of f_n on the way."""
        points, slopes = [tf.zeros_like(self.exact.linear) + start], []
        for step in range(int(self.steps.max())):
            slopes.append(self.exact.gradient(points[-1]).slope)
            pull = 0 if dual is None else dual
            pull += 0 if weight is None else weight * (points[-1] - anchor)
            goes = (step < self.steps)[:, None, None]
            points.append(tf.where(goes, points[-1] - RATE * (slopes[-1] + pull), points[-1]))
        return points, slopes

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None):
        points = self.path(start, dual, weight, anchor)[0]
        if accuracy is None:
            return Minimiser(points[-1], points[-1][:, 0], points[-1][:, 0])

        def residual(theta):
            theta = tf.zeros_like(dual) + theta
            return tf.norm(self.gradient(theta).slope + dual + weight * (theta - anchor), axis=1, keepdims=True)

        theta, going = points[0], True
        most = accuracy.share * residual(accuracy.reference)
        for point in points[1:]:
            going = going & (residual(theta) > most)
            theta = tf.where(going, point, theta)
        return Minimiser(theta, theta[:, 0], theta[:, 0])


class Step(NamedTuple):
    """A round: who took part, and server and workers before and after it."""

    who: list[int]
    before: tuple[Any, Any]
    after: tuple[Any, Any]


def gathered(leaves, who):
    return type(leaves)(*(tf.gather(leaf, who) for leaf in leaves))


def drive(
    name: str,
    rounds,
    descends: int | np.ndarray = 0,
    p: Parameters | None = None,
    start=None,
    weights: np.ndarray = EQUAL,
    uploads: np.ndarray = ALWAYS,
    **options,
):
    """A method round by round on the same quadratics, its messages carried exactly."""
    method, problem = algorithms.METHODS[name].load(), quadratics()
    p = p or parameters()
    choice = Options(WORKERS, **options)
    server, first = method.init(tf.zeros([1, DIM, 1], tf.float64) if start is None else start, choice, p.rho)
    clients = type(first)(*(tf.repeat(leaf, WORKERS, axis=0) for leaf in first))
    for who, ends in zip(rounds, uploads, strict=False):
        part = LinearRegression(*(tf.gather(leaf, who) for leaf in problem[:2]), problem.optimum)
        steps = np.broadcast_to(descends, WORKERS)[who]
        local: Any = Descent(part, steps) if np.any(steps) else part
        weight = tf.constant(weights[who][:, None, None])
        count = tf.constant(np.maximum(steps, 1)[:, None, None], tf.float64)
        now = Round(local, p, choice, weight, count, tf.fill([1, 1, 1], tf.constant(ends, tf.float64)))
        sent = method.local_update(server, gathered(clients, who), now)
        totals = tuple(tf.reduce_sum(message, axis=0, keepdims=True) for message in sent.messages)
        after = method.global_update(server, totals, now)
        rows = zip(clients, sent.client, strict=True)
        at = [[worker] for worker in who]
        moved = type(clients)(*(tf.tensor_scatter_nd_update(old, at, new) for old, new in rows))
        yield Step(who, (server, clients), (after, moved))
        server, clients = after, moved


def models(steps) -> np.ndarray:
    return np.array([step.after[0].model.numpy()[0, :, 0] for step in steps])


def same(one, other, tolerance=1e-12):
    one, other = models(one), models(other)
    np.testing.assert_allclose(one, other, atol=tolerance * max(1, np.abs(one).max()))
    assert np.abs(np.diff(one, axis=0)).max() > 1e-3


@pytest.mark.parametrize("descends", [0, 7])
@pytest.mark.parametrize("rounds", [FULL, PARTIAL], ids=["full", "partial"])
@pytest.mark.parametrize("regulariser", REGULARISERS)
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


@pytest.mark.parametrize("descends", [0, 7])
@pytest.mark.parametrize("start", ["local", "global"])
def test_fedadmm_of_wang_with_all_workers_is_fedpd(descends, start):
    same(drive("FedADMM-Wang", FULL, descends, warm_start=start), drive("FedPD", FULL, descends, warm_start=start))


@pytest.mark.parametrize("descends", [0, 7])
@pytest.mark.parametrize("rounds", [FULL, PARTIAL], ids=["full", "partial"])
def test_fedadmm_of_gong_with_the_share_as_step(rounds, descends):
    """With η = |S|/m the global model is the mean of u_i at every round, and that of Wang et al. without g."""
    p = parameters(server_step=len(rounds[0]) / WORKERS)
    steps = list(drive("FedADMM-Gong", rounds, descends, p))
    for step in steps:
        w, y = step.after[1]
        np.testing.assert_allclose(step.after[0].model[0], tf.reduce_mean(w + y / 0.7, axis=0), atol=1e-13)
    same(steps, drive("FedADMM-Wang", rounds, descends))


def test_vanilla_fedadmm_is_that_of_wang_started_from_the_global_model():
    same(drive("FedADMM", PARTIAL, 7), drive("FedADMM-Wang", PARTIAL, 7, warm_start="global"))


def one_round(method: str, p: Parameters, descends: int = 7, server=None, client=None):
    """What workers send and keep in one round of a method, from a given state."""
    problem, choice = Descent(quadratics(), np.full(WORKERS, descends)), Options(WORKERS, warm_start="global")
    start = tf.constant(np.random.default_rng(3).standard_normal((1, DIM, 1)))
    begun = algorithms.METHODS[method].load().init(start, choice, p.rho)
    weight = tf.fill([WORKERS, 1, 1], tf.constant(1 / WORKERS, tf.float64))
    count = tf.fill([WORKERS, 1, 1], tf.constant(float(descends), tf.float64))
    now = Round(problem, p, choice, weight, count, tf.ones([1, 1, 1], tf.float64))
    return algorithms.METHODS[method].load().local_update(server or begun[0], client or begun[1], now), now


def test_local_problem_without_its_dual_is_that_of_fedprox_and_of_fedavg():
    """Gong et al., III-B: y = 0 leaves FedProx's local problem, ρ = 0 as well FedAvg's; FedProx with 0 is FedAvg."""
    for rho, other in ((0.7, "FedProx"), (0.0, "FedAvg")):
        p = parameters(rho=rho)
        np.testing.assert_array_equal(one_round("FedADMM-Gong", p)[0].done.theta, one_round(other, p)[0].done.theta)
    p = parameters(rho=0.0)
    np.testing.assert_array_equal(one_round("FedProx", p)[0].messages[0], one_round("FedAvg", p)[0].messages[0])


@pytest.mark.parametrize(("rho", "other"), [(0.0, "FedAvg"), (0.7, "FedProx")])
def test_fedvra_without_dual_is_fedavg_or_fedprox(rho, other):
    """Section 3 of Wang et al.: a = 0, d = N/m, γ = 0 or γ > 0."""
    p = parameters(rho=rho, dual_step=0.0, aggregation_step=WORKERS / 2)
    same(drive("FedVRA", PARTIAL, 7, p), drive(other, PARTIAL, 7, parameters(rho=rho)))


def test_fedvra_with_normalised_steps_is_fednova():
    """Section 3: a = 0, γ = 0, d_i = Q_eff/(Q_i Σω), for workers that make 2 to 9 steps."""
    steps = np.array([2, 9, 3, 5, 8, 4])
    nova, vra = list(drive("FedNova", PARTIAL, steps)), []
    server = Model(tf.zeros([1, DIM, 1], tf.float64))
    for who in PARTIAL:
        chosen = steps[who].astype(float)
        d = (chosen.mean() / (chosen * len(who) / WORKERS))[:, None, None]
        p = parameters(rho=0.0, dual_step=0.0)._replace(aggregation_step=tf.constant(d))
        (step,) = drive("FedVRA", [who], steps, p, start=server.model)
        vra.append(step)
        server = step.after[0]
    same(nova, vra)


def test_fedvra_approaches_scaffold_as_its_penalty_goes():
    """(23) and (24): from one state, the direction of a local step and the new dual differ from SCAFFOLD's by O(γ)."""
    rng = np.random.default_rng(5)
    centre, mean, own, at = (
        tf.constant(rng.standard_normal(s)) for s in [(1, DIM, 1), (1, DIM, 1)] + [(WORKERS, DIM, 1)] * 2
    )
    errors = []
    for gamma in (1e-1, 1e-2, 1e-3):
        p = parameters(rho=gamma, dual_step=1 / (gamma * RATE * 7))
        asked = Recorder()
        state = fedvra.Server(centre - mean / gamma, mean / gamma), fedvra.Client(own / gamma)
        choice, ones = Options(WORKERS), tf.ones([WORKERS, 1, 1], tf.float64)
        now = Round(asked, p, choice, ones / WORKERS, 7 * ones, ones[:1])
        fedvra.FedVRA().local_update(*state, now)
        other = Recorder()
        scaffold.Scaffold().local_update(
            scaffold.Server(centre, mean), scaffold.Client(own), now._replace(problem=other)
        )
        direction = np.abs(asked.pull(at) - other.pull(at)).max()
        (sent, _), (_, slopes) = one_round("FedVRA", p), descent_of("FedVRA", p)
        errors.append((direction, np.abs(gamma * sent.client.dual - np.mean(slopes, axis=0)).max()))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    np.testing.assert_allclose(ratios, 10, rtol=0.05)
    assert np.max(errors[-1]) < 1e-2


class Recorder:
    """Quadratics that note what a method adds to local losses."""

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None):
        self.dual, self.weight, self.anchor = dual, weight, anchor
        theta = tf.zeros([WORKERS, DIM, 1], tf.float64) + start
        return Minimiser(theta, theta[:, 0], theta[:, 0])

    def pull(self, theta):
        pull = self.dual if self.weight is None else self.dual + self.weight * (theta - self.anchor)
        return np.asarray(pull)


def descent_of(method: str, p: Parameters):
    """Points and gradients of the first round's local steps."""
    problem = Descent(quadratics(), np.full(WORKERS, 7))
    start = tf.constant(np.random.default_rng(3).standard_normal((1, DIM, 1)))
    return problem.path(start, tf.zeros([WORKERS, DIM, 1], tf.float64), p.rho, start)


def test_fedvra_with_unit_steps_is_the_admm_of_its_paper():
    """(7a) to (7c) with exact minimisers, all workers, and equal weights."""
    gamma, problem = 0.7, quadratics()
    steps = list(drive("FedVRA", FULL, 0, parameters(dual_step=1.0, aggregation_step=1.0)))
    common, dual = np.zeros((1, DIM, 1)), np.zeros((WORKERS, DIM, 1))
    for step in steps:
        weight = np.full((WORKERS, DIM, 1), gamma)
        x = problem.minimise(problem.penalise(weight), weight, -dual, common, common).theta.numpy()
        dual = dual + gamma * (common - x)
        common = np.mean(x - dual / gamma, axis=0, keepdims=True)
        np.testing.assert_allclose(step.after[0].model, common, atol=1e-12)
        np.testing.assert_allclose(gamma * step.after[1].dual, dual, atol=1e-12)


def test_feddyn_is_fedvra_with_its_steps():
    p = parameters(dual_step=1.0, aggregation_step=WORKERS / 2)
    same(drive("FedDyn", PARTIAL, 7), drive("FedVRA", PARTIAL, 7, p))


def test_vrl_sgd_is_scaffold_with_all_workers():
    same(drive("VRL-SGD", FULL, 7), drive("SCAFFOLD", FULL, 7))


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
        points, slopes = Descent(part, np.full(2, quantity)).path(server.model, -lam[who], gamma, server.model)
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


def lipschitz(problem: LinearRegression) -> float:
    return float(np.linalg.eigvalsh(problem.hessian.numpy()[..., 0]).max())


def value(problem: LinearRegression, theta: np.ndarray) -> float:
    """Σ f_n(θ_n) up to the constants of f_n."""
    curved = np.einsum("nijr,njr->nir", problem.hessian, theta)
    return float(np.sum(theta * (0.5 * curved - problem.linear)))


@pytest.mark.parametrize("descends", [0, 4, 20])
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


@pytest.mark.parametrize("regulariser", REGULARISERS)
@pytest.mark.parametrize(
    ("method", "relaxation"), [("FedADMM-Wang", 1.0), ("FedDR", 1.0), ("FedDR", 0.6), ("FedDR", 1.4)]
)
def test_fixed_point_is_stationary(method, relaxation, regulariser):
    """0 ∈ ∇f + ∂g where the methods of Wang et al. come to rest: with l1, x = soft(x − ∇f, κ)."""
    p, problem = parameters(rho=1.0, regulariser_weight=0.15, relaxation=relaxation), quadratics()
    *_, last = drive(method, PARTIAL * 40, 0, p, regulariser=regulariser)
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


@pytest.mark.parametrize("name", [name for name, method in algorithms.METHODS.items() if method.federated])
def test_drift_free_methods_reach_the_optimum(name):
    """Heterogeneous quadratics, 5 local steps, all workers: corrected methods end at the optimum, others beside it."""
    if name in ("FedVRA-U", "FedSGD"):
        pytest.skip("it has no local steps on a convex problem")
    p = parameters(rho=0.7, aggregation_step=1.0)
    *_, last = drive(name, FULL * 60, 5, p, warm_start="global")
    error = float(tf.norm(last.after[0].model - quadratics().optimum))
    drifts = name in ("FedAvg", "FedProx", "FedNova")
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
    own = Descent(LinearRegression(*(tf.gather(leaf, PARTIAL[0]) for leaf in quadratics()[:2]), None), np.full(2, 7))
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
@pytest.mark.parametrize("method", ["FedADMM-In", "FedADMM-InSa"])
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


def test_insa_with_a_vanishing_share_is_vanilla():
    """σ → 0 and a fixed β: all local work is done."""
    p = parameters(strong_convexity=1e-30, penalty_factor=1.0)
    same(drive("FedADMM-InSa", PARTIAL, 7, p), drive("FedADMM", PARTIAL, 7, p))


def test_insa_adapts_its_penalty_as_the_residuals_ask():
    """(3.15): β doubles where ‖u' − z‖ is over μβ‖u' − u‖, halves where it is under 1/μ of it, else stays."""
    method = algorithms.METHODS["FedADMM-InSa"].load()
    p = parameters(penalty_ratio=5.0, penalty_factor=2.0)
    zero, ones = tf.zeros([3, DIM, 1], tf.float64), tf.ones([3, 1, 1], tf.float64)
    model = zero + 1.0
    before = type(method.init(zero[:1], Options(3), p.rho)[1])(model - [[[0.01]], [[1.0]], [[9.0]]], zero, ones, ones)
    server = type(method.init(zero[:1], Options(3), p.rho)[0])(zero[:1], zero[:1], ones[:1])
    now = Round(quadratics(), p, Options(3), ones / 3, ones, ones[:1])
    np.testing.assert_array_equal(method.adapted(before, model, server, now)[:, 0, 0], [2.0, 1.0, 0.5])


def test_soft_thresholding_and_others_against_their_definition():
    """prox_{sg}(x) minimises g(y) + ‖x − y‖²/2s on a fine grid."""
    grid = np.linspace(-3, 3, 60_001)
    penalties = {
        "none": 0 * grid,
        "l1": 0.4 * np.abs(grid),
        "l2": 0.2 * grid**2,
        "box": np.where(np.abs(grid) <= 0.4, 0, np.inf),
    }
    for (name, penalty), x in itertools.product(penalties.items(), (-2.0, -0.3, 0.1, 1.1)):
        best = grid[np.argmin(penalty + (x - grid) ** 2 / (2 * 1.5))]
        found = float(
            PROXIMAL[name](tf.constant(x, tf.float64), tf.constant(1.5, tf.float64), tf.constant(0.4, tf.float64))
        )
        assert found == pytest.approx(best, abs=2e-4)


def test_nothing_is_kept_where_nothing_need_be():
    """FedAvg and its like keep no rows, FedADMM of Wang et al. two vectors, those with one dual one."""
    kept = {"FedAvg": 0, "FedProx": 0, "FedNova": 0, "SCAFFOLD": 1, "FedDyn": 1, "FedVRA": 1, "FedADMM-Gong": 2}
    for name, count in kept.items():
        _, client = algorithms.METHODS[name].load().init(tf.zeros([1, DIM, 1]), Options(3), tf.ones([1]))
        assert len(client) == count
    assert Nothing() == ()
    assert fedadmm_wang.Client._fields == ("model", "dual")
