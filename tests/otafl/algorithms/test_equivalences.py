"""The federated methods on convex problems: where one is another, or goes over into it."""

import numpy as np
import pytest
import tensorflow as tf

from tests.otafl.algorithms.quadratics import DIM, FULL, PARTIAL, WORKERS, drive, parameters, quadratics, same


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
    "Gong with the share as step is Wang": (
        PARTIAL,
        ("FedADMM-Gong", {"server_step": 2 / WORKERS}),
        ("FedADMM-Wang", {}),
        {},
    ),
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
