"""The federated methods on convex problems: where one is another, or goes over into it."""

import numpy as np
import pytest
import tensorflow as tf

from tests.otafl.algorithms.quadratics import (
    DIM,
    FULL,
    PARTIAL,
    WORKERS,
    drive,
    parameters,
    quadratics,
    same,
)


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


@pytest.mark.parametrize(("rho", "other"), [(0.7, "FedProx"), (0.0, "FedAvg")])
def test_local_problem_of_gong_without_its_dual_is_that_of_another(rho, other):
    """Gong et al., III-B: in the first round duals are 0."""
    first, second = (next(iter(drive(name, FULL, 7, parameters(rho=rho)))) for name in ("FedADMM-Gong", other))
    local = first.after[1].model
    np.testing.assert_allclose(tf.reduce_mean(local, axis=0), second.after[0].model[0], atol=1e-12)


@pytest.mark.parametrize("rounds", [FULL, PARTIAL], ids=["full", "partial"])
def test_fedadam_of_great_tau_is_fedavg(rounds):
    """Its step ηm/(√v + τ) is ηm/2τ where v stays at τ², its decay being 1; without momentum m is FedAvg's mean."""
    tau = 50.0
    p = parameters(server_step=2 * tau, first_moment_decay=0.0, second_moment_decay=1.0, adaptivity=tau)
    same(drive("FedAdam", rounds, 7, p), drive("FedAvg", rounds, 7))


NO_DUAL = {"dual_step": 0.0, "aggregation_step": WORKERS / 2}
SAME = [
    pytest.param(PARTIAL, 7, "FedADMM", {}, "FedADMM-Wang", {}, {"warm_start": "global"}, id="vanilla is Wang"),
    pytest.param(PARTIAL, 7, "FedProx", {"rho": 0.0}, "FedAvg", {}, {}, id="no penalty"),
    pytest.param(PARTIAL, 7, "FedVRA", NO_DUAL | {"rho": 0.0}, "FedAvg", {}, {}, id="section 3 of FedVRA: FedAvg"),
    pytest.param(PARTIAL, 7, "FedVRA", NO_DUAL, "FedProx", {}, {}, id="section 3 of FedVRA: FedProx"),
    pytest.param(
        PARTIAL, 7, "FedVRA", NO_DUAL | {"dual_step": 1.0}, "FedDyn", {}, {}, id="section 3 of FedVRA: FedDyn"
    ),
    pytest.param(FULL, 7, "VRL-SGD", {}, "SCAFFOLD", {}, {}, id="all take part"),
    pytest.param(
        PARTIAL, 7, "FedADMM-InSa", {"strong_convexity": 1e-30, "penalty_factor": 1.0}, "FedADMM", {}, {}, id="no share"
    ),
]
"""Rounds, local steps, and two methods with their parameters that are the same by their papers."""


@pytest.mark.parametrize(("rounds", "descends", "one", "numbers", "other", "others", "words"), SAME)
def test_one_method_is_another(rounds, descends, one, numbers, other, others, words):
    same(
        drive(one, rounds, descends, parameters(**numbers), **words),
        drive(other, rounds, descends, parameters(**others), **words),
    )
