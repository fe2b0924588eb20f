"""Federated methods as users run them: limits and equivalences on networks, costs, local work, schedules."""

import re

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.method import EVERYBODY
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from otafl.problems.exact_regression import Exact
from otafl.study.trial import Check, check
from tests.otafl.small import FEDERATED, dotted, settings_of, some
from tests.rounding import SINGLE, assert_close

HEARD = [name for name in FEDERATED if "analog" in METHODS[name].uplinks]
FULL = {name for name in FEDERATED if EVERYBODY in METHODS[name].limits}
ALWAYS = ("run.iterations", "run.seeds", "federation.workers", "uplink.kind")
BASE = {"run.iterations": 4, "run.seeds": 1, "federation.workers": 10, "local.epochs": 2, "uplink.kind": "ideal"}
PARTIAL = {"federation.participation": 0.3}
NO_CHANNEL = {"channel.fading": "none", "channel.snr_db": float("inf")}


def run(method: str, **keys):
    overrides = base(method) | dotted(keys)
    return otafl.run("digits_quickstart", overrides).isel(seed=0)


def base(method: str) -> dict:
    """Return the keys of BASE that a method reads; FedSGD has no epochs."""
    return {key: value for key, value in BASE.items() if key in (*METHODS[method].keys, *ALWAYS)} | {"method": method}


@pytest.mark.parametrize("method", some(FEDERATED, ("SCAFFOLD",)))
def test_analog_without_noise_and_fading_is_ideal(method):
    if method not in HEARD:
        with pytest.raises(OtaflError, match="its server divides by a sum of the workers' numbers"):
            run(method, uplink__kind="analog")
        return
    part = {} if method in FULL else PARTIAL
    one = otafl.run("digits_quickstart", base(method) | part).isel(seed=0)
    other = otafl.run("digits_quickstart", base(method) | part | NO_CHANNEL | {"uplink.kind": "analog"})
    np.testing.assert_allclose(one["loss"], other.isel(seed=0)["loss"], rtol=2e-4)
    vectors = METHODS[method].vectors
    workers = 10 if method in FULL else 3
    elements = vectors * 2368
    np.testing.assert_array_equal(one["uplink_elements"], workers * elements * np.arange(1, 5))
    np.testing.assert_array_equal(other.isel(seed=0)["channel_uses"], elements * np.arange(1, 5))
    assert (one["time_slots"] == 0).all()


COSTS = [f"{name}@digital" for name in FEDERATED] + [f"{name}@analog" for name in ("FedAvg", "SCAFFOLD", "FedVRA-U")]


@pytest.mark.parametrize("case", some(COSTS, ("FedAvg@analog",)))
def test_every_method_reports_its_costs(case):
    """Over noise and fading: analog symbols stay within the workers' budgets, digital ones use all of it."""
    method, uplink = case.split("@")
    kind = METHODS[method]
    keys = {"uplink__kind": uplink, "run__iterations": 2, "channel__snr_db": 20.0}
    data = run(method, **keys, **({} if method in FULL else {"federation__participation": 0.3}))
    workers, elements = 10 if method in FULL else 3, kind.vectors * 2368 + kind.scalars
    for name in ("time_slots", "channel_uses", "energy", "uplink_elements", "local_epochs", "test_accuracy", "loss"):
        assert np.isfinite(data[name]).all(), name
    np.testing.assert_array_equal(data["uplink_elements"], [workers * elements, 2 * workers * elements])
    power, uses = 100 * 15e3 * 1e-9, float(data["channel_uses"][0])
    if uplink == "digital":
        assert float(data["energy"][0]) == pytest.approx(uses * power * 1e-3, rel=1e-6)
        return
    assert uses == kind.vectors * 2368
    assert float(data["time_slots"][0]) == kind.vectors * 10
    assert 0 < float(data["energy"][0]) <= workers * uses * power * 1e-3


def test_fedvra_says_where_its_steps_are_beyond_its_papers():
    keys = base("FedVRA") | {"federation.participation": 0.2, "algorithm.rho": 0.5}
    (said,) = check(Check([[RunSpec(settings_of("digits_quickstart", keys), 0)]])).remarks
    assert re.search(r"\(a \+ d\)·ηγQ̃ = 3\.\d+ with FedVRA, whose paper advises 1", said)


@pytest.mark.slow
def test_rounds_of_fedpd_without_upload_cost_nothing():
    data = run("FedPD", algorithm__communication_probability=0.4, uplink__kind="analog", run__iterations=20)
    uses = np.diff(data["channel_uses"], prepend=0)
    assert set(uses) == {0, 2368}
    quiet = uses == 0
    assert (np.diff(data["energy"], prepend=0)[quiet] == 0).all()
    np.testing.assert_array_equal(np.diff(data["uplink_elements"], prepend=0) > 0, ~quiet)
    accuracy = data["test_accuracy"].values
    assert (accuracy[1:][quiet[1:]] == accuracy[:-1][quiet[1:]]).all()


@pytest.mark.slow
def test_local_epochs_are_what_workers_did():
    assert (run("FedSGD", run__iterations=1)["local_epochs"] == 1).all()
    uneven = run("FedProx", local__epochs=5, local__work="uniform", run__iterations=10)["local_epochs"]
    assert 2 < uneven.mean() < 4
    assert len(np.unique(uneven)) > 3


@pytest.mark.slow
def test_schedules_take_hold_at_their_round():
    plain = run("FedADMM-Gong")
    later = run("FedADMM-Gong", algorithm__rho_schedule="3: 5", algorithm__server_step_schedule="3: 0.2")
    assert_close(later["loss"][:2], plain["loss"][:2], SINGLE)
    assert (plain["loss"][2:] != later["loss"][2:]).all()


BY_SAMPLES = {"federation.weights": "samples", "federation.partition": "power_law", "federation.workers": 6}
ONE_STEP = {"local.batch_size": "all", "local.epochs": 1, "run.iterations": 6, "run.seeds": 1, "uplink.kind": "ideal"}


@pytest.mark.slow
def test_the_loss_is_weighed_as_the_objective_is():
    """One step on all samples, with weights by samples, is that of one worker who has them all; a gap is a sum."""
    keys = ONE_STEP | {"method": "FedAvg", "local.learning_rate": 0.1, "problem.kind": "linear_regression"}
    federations = BY_SAMPLES, {"federation.workers": 1}, BY_SAMPLES | {"federation.weights": "equal"}
    several, one, equal = (otafl.run("quickstart", keys | own)["loss"].squeeze() for own in federations)
    np.testing.assert_allclose(several, 6 * one, rtol=2e-6)
    assert (abs(equal / several - 1) > 1e-3).all()


@pytest.mark.slow
def test_the_loss_of_participants_is_weighed_as_the_objective_is(registries):
    otafl.metric("by_hand")(lambda seen: tf.reduce_sum((seen.weight[:, 0] * seen.losses), axis=0))
    otafl.metric("share")(lambda seen: tf.reduce_sum(seen.weight, axis=0)[0])
    keys = BASE | BY_SAMPLES | {"method": "FedAvg", "federation.participation": 0.5}
    data = otafl.run("digits_quickstart", keys | {"run.metrics": ("by_hand", "share")})
    np.testing.assert_allclose(data["loss"], data["by_hand"] / data["share"], rtol=1e-6)
    assert np.ptp(data["share"].values) > 0.01


def test_regression_reports_its_gap():
    """FedSGD with all workers is gradient descent on Σf_n/N: the gap falls as its recursion says."""
    keys = {"problem.dataset": "synthetic", "problem.samples": 300, "federation.workers": 10, "run.iterations": 5}
    keys |= {"method": "FedSGD", "local.learning_rate": 0.1, "run.seeds": 1, "uplink.kind": "ideal"}
    data = otafl.run("quickstart", keys).isel(seed=0)
    task = Exact(settings_of("quickstart", keys), [0])
    hessian, linear, optimum = (np.asarray(part)[..., 0] for part in task.stacked)
    theta = np.zeros(6)
    for gap in data["loss"].values:
        theta -= 0.1 * (hessian.mean(axis=0) @ theta - linear.mean(axis=0))
        away = theta - optimum[0]
        assert gap == pytest.approx(0.5 * away @ hessian.sum(axis=0) @ away, rel=1e-3)
