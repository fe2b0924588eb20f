"""Answers of methods about settings, and measures of theirs beside models."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.algorithms.fadmm import Client, Prepared
from otafl.algorithms.fedadmm_insa import Server
from otafl.algorithms.local_problem import Gradient, Model, Round
from otafl.algorithms.method import named_tuple
from otafl.channels.effective_channel import Effective
from tests.otafl.small import dotted, settings_of
from tests.otafl.uplinks.links import draw_of


def settings(method: str, scenario: str = "digits_quickstart", **keys):
    return settings_of(scenario, {"method": method} | dotted(keys))


@pytest.mark.parametrize(("workers", "participation"), [(20, 0.5), (20, 0.25), (10, 1.0)])
def test_words_for_steps_are_numbers_of_participation(workers, participation):
    keys = {"federation__workers": workers, "federation__participation": participation}
    gong = settings("FedADMM-Gong", algorithm__server_step="participation", **keys)
    vra = settings("FedVRA", algorithm__aggregation_step="inverse_probability", **keys)
    assert METHODS["FedADMM-Gong"].parameters(gong, 1)["server_step"] == participation
    assert METHODS["FedVRA"].parameters(vra, 1)["aggregation_step"] == 1 / participation
    assert METHODS["FedVRA"].parameters(vra, 1)["rho"] == vra.algorithm.rho


def test_a_schedule_counts_iterations_from_1():
    method = METHODS["FedADMM-Gong"]
    given = settings("FedADMM-Gong", algorithm__rho=0.5, algorithm__rho_schedule="3: 5")
    assert [method.parameters(given, iteration)["rho"] for iteration in (1, 2, 3, 4)] == [0.5, 0.5, 5, 5]
    assert method.is_scheduled(given)
    assert not method.is_scheduled(settings("FedADMM-Gong"))


@pytest.mark.parametrize(("reduction", "share"), [("sum", 1), ("mean", 8)])
def test_gradient_descent_steps_along_the_sum_or_the_mean(reduction, share):
    given = settings("D-GD", "quickstart", federation__workers=8, algorithm__gradient_reduction=reduction)
    assert METHODS["D-GD"].parameters(given, 1) == {"step_size": given.value("local.learning_rate") / share}


def test_fedvra_says_what_its_steps_come_to():
    """(a + d)·ηγQ̃ = (a + d)(1 − (1 − ηγ)^Q) of the worker with most steps, where that is beyond 1 (remark 1): for
    a + d = 1 with odd Q beyond ηγ = 1, and as steps grow past ηγ = 2."""
    method, steps = METHODS["FedVRA"], np.array([7, 2])
    keys = {"algorithm__rho": 0.5, "local__learning_rate": 0.1, "algorithm__dual_step": 1.0}
    far, near = (settings("FedVRA", algorithm__aggregation_step=d, **keys) for d in (2.5, 2.0))
    assert f"(a + d)·ηγQ̃ = {3.5 * (1 - 0.95**7):.3g} with FedVRA" in method.remark(far, steps)
    assert method.remark(near, steps) == ""
    keys |= {"algorithm__dual_step": 0.5, "algorithm__aggregation_step": 0.5}
    for rate, most, said in ((2.0, 7, False), (2.5, 7, True), (4.0, 8, False), (4.5, 8, True)):
        given = settings("FedVRA", **keys | {"local__learning_rate": rate})
        assert bool(method.remark(given, np.array([most, 2]))) == said


def test_fedvra_needs_no_penalty_without_duals_and_may_have_a_step_where_chances_are_unequal():
    settings("FedVRA", algorithm__rho=0.0, algorithm__dual_step=0.0)
    settings("FedVRA", algorithm__aggregation_step=2.0, federation__probabilities=[0.2, 0.8] * 10)


def test_fedadmm_insa_keeps_its_penalty_between_residuals_and_where_they_tie():
    """β by τ = 3 where one of β‖u' − u‖ and ‖u' − z‖ is more than μ = 2 times the other (3.15), with u' = 0, β = 1."""
    now: Any = SimpleNamespace(parameters=SimpleNamespace(penalty_ratio=2.0, penalty_factor=3.0))
    primal, dual = np.array([1.0, 1, 1, 2, 2.1, 0])[:, None, None], np.array([1.0, 2, 2.1, 1, 1, 0])[:, None, None]
    before, server = (SimpleNamespace(penalty=tf.ones_like(one), model=tf.constant(one)) for one in (primal, dual))
    found = METHODS["FedADMM-InSa"].adapted(before, tf.zeros_like(primal), server, now)
    np.testing.assert_allclose(np.ravel(found), [1, 1, 3, 1, 1 / 3, 1])


@pytest.mark.parametrize("reference", ["global", "local"])
def test_fedadmm_in_trains_until_just_below_its_bound(reference):
    """A share of √2/(√2 + √(β/c)), (3.8), of the residual at the global or the worker's last model."""
    parameters, options = SimpleNamespace(strong_convexity=0.2), SimpleNamespace(residual_at=reference)
    now: Any = SimpleNamespace(parameters=parameters, options=options)
    server, client = SimpleNamespace(model="Θ"), SimpleNamespace(model="θ", penalty=tf.constant([0.7, 3.0]))
    found = METHODS["FedADMM-In"].accuracy(server, client, now)
    bound = np.sqrt(2) / (np.sqrt(2) + np.sqrt(np.array([0.7, 3.0]) / 0.2))
    assert np.all((0.99 * bound < found.share) & (found.share < bound))
    assert found.reference == {"global": "Θ", "local": "θ"}[reference]


def test_what_methods_ask_of_the_channel():
    """Gains weigh A-FADMM always, D-FADMM where it is wanted; A-SFADMM heeds changes where it is wanted."""
    for consensus, weighs in (("plain", False), ("channel_weighted", True)):
        given = settings("D-FADMM", "quickstart", algorithm__consensus=consensus)
        assert METHODS["D-FADMM"].weighs_by_gain(given) == METHODS["D-FADMM"].flips(given) == weighs
    for change, flips in (("dual_flip", True), ("train", False)):
        assert METHODS["A-SFADMM"].flips(settings("A-SFADMM", algorithm__on_channel_change=change)) == flips
    assert [METHODS["D-SGD"].sends_models(settings("D-SGD", local__steps=n)) for n in (1, 2)] == [False, True]
    assert not METHODS["FedAvg"].weighs_by_gain(settings("FedAvg"))


def test_residuals_and_work_of_fadmm():
    """(18), (19) over all workers and elements; a worker that solves for its dual makes no pass over its samples."""
    rng = np.random.default_rng(0)
    theta, weight = rng.standard_normal((2, 3, 4, 2)) ** 2
    before, after, mu = rng.standard_normal((3, 1, 4, 2))
    client, method = Client(tf.constant(theta), tf.constant(mu)), METHODS["A-FADMM"]
    ones = tf.ones([3, 1, 1], tf.float64)
    prepared = Prepared(tf.constant(weight), None)
    draw = draw_of(Effective(ones, None, ones, None), changed=True)
    now = Round(Slopes(), None, None, draw, prepared, tf.constant(before))
    primal, dual = method.residuals(Model(tf.constant(before)), Model(tf.constant(after)), client, now)
    np.testing.assert_allclose(primal, np.sqrt(np.sum((theta - after) ** 2, axis=(0, 1))))
    np.testing.assert_allclose(dual, np.sqrt(np.sum((weight * (after - before)) ** 2, axis=(0, 1))))
    local = method.local_update(Model(tf.constant(before)), client, now)
    assert not local.done.epochs.numpy().any()
    np.testing.assert_array_equal(local.done.theta, theta)
    np.testing.assert_array_equal(local.done.losses, theta[:, 0])


class Slopes:
    """A problem of which only slopes are asked."""

    def gradient(self, theta):
        return Gradient(theta, theta[:, 0])


def test_penalties_and_residuals_of_those_that_have_some():
    """The mean over all workers, not over participants; NaN in each run for others."""
    server = Server(tf.zeros([1, 4, 2]), tf.zeros([1, 4, 2]), tf.constant([[[6.0, 12.0]]]))
    now = Round(None, None, named_tuple(workers=3), draw_of(None), None, server.model)
    np.testing.assert_array_equal(METHODS["FedADMM-InSa"].penalty(server, now), [2.0, 4.0])
    assert np.isnan(METHODS["FedAvg"].penalty(Model(server.model), now)).tolist() == [True, True]
    assert np.isnan(METHODS["FedAvg"].residuals(server, server, None, now)).tolist() == [[True, True]] * 2
