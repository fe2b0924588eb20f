"""The table of result variables, and metrics: what is refused, what they return, accuracies of workers."""

import math
from types import SimpleNamespace

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.algorithms.fedavg import FedAvg
from otafl.engine.account import ENERGIES
from otafl.engine.costs import COSTS as LEDGER_COSTS
from otafl.engine.iteration import ROW
from otafl.errors import OtaflError
from otafl.metrics import REGISTERED, RoundRecord
from otafl.metrics.registry import named
from otafl.metrics.result_variables import COORDINATES, CURVES, OF_KEYS, VARIABLES
from otafl.metrics.round_record import Carried
from otafl.problems.training_task import Training
from otafl.results import result_file
from otafl.scenario.dotted_keys import fields, quantity
from otafl.scenario.file import parse
from otafl.scenario.sweeps import NOT_SWEPT, dimensions
from tests.otafl.small import SMALL, group_of

pytestmark = pytest.mark.usefixtures("registries")
RUNS = tf.zeros([3])
TAKEN = "loss", "seed", "method", "compute_time", "worker_accuracy", "snr_db", "rho", "algorithm_rho", "uplink_kind"


def number(seen):
    return tf.fill([3], seen.number)


@pytest.mark.parametrize(
    ("name", "keys", "made", "rule"),
    [
        *(
            (name, {}, number, f"metric = '{name}': is already the name of a variable, a coordinate or a scenario key")
            for name in TAKEN
        ),
        ("two words", {}, number, "must be a name of letters, digits and underscores"),
        (3, {}, number, "must be a name of letters, digits and underscores"),
        ("mine", {"every": "week"}, number, "every must be one of round, evaluation"),
        ("mine", {"unit": 3}, number, "must be a text, not 3"),
        ("mine", {"long_name": None}, number, "must be a text, not None"),
        ("mine", {}, math.sqrt, "metric = 'mine': must be a function"),
        ("mine", {}, type("Callable", (), {"__call__": number})(), "metric = 'mine': must be a function"),
    ],
)
def test_bad_arguments_are_refused(name, keys, made, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.metric(name, **keys)(made)
    assert "mine" not in REGISTERED


def test_every_key_may_give_a_dimension_its_name():
    for key in fields().keys() - {*NOT_SWEPT, "problem.seed"}:
        (dimension,) = dimensions({key: [1, 2]})
        assert dimension in {*OF_KEYS, *COORDINATES}


def test_a_key_and_a_metric_have_different_names_in_either_order():
    otafl.metric("mine")(number)
    with pytest.raises(OtaflError, match=r"Own = 'algorithm\.mine': is already the name of a metric"):
        otafl.method("Own", mine=otafl.key(1.0, "a key"))(type("Own", (FedAvg,), {}))
    otafl.method("Own", other=otafl.key(1.0, "a key"))(type("Own", (FedAvg,), {}))
    with pytest.raises(OtaflError, match="metric = 'other': is already the name of"):
        otafl.metric("other")(number)


def test_another_function_of_the_name_is_refused_and_the_same_one_takes_its_place():
    otafl.metric("mine", unit="J")(number)
    with pytest.raises(OtaflError, match="is already the name"):
        otafl.metric("mine")(lambda seen: seen.number)
    otafl.metric("mine", unit="W", rises=True)(number)
    assert (VARIABLES["mine"].unit, VARIABLES["mine"].rises, CURVES["mine"].long_name) == ("W", True, "Mine")
    assert quantity("mine") is REGISTERED["mine"]
    np.testing.assert_array_equal(REGISTERED["mine"].value(RoundRecord(number=7), RUNS), [7.0, 7.0, 7.0])
    assert [one.name for one in named(["worker_accuracy", "mine"])] == ["mine", "worker_accuracy"]


@pytest.mark.parametrize(
    ("compute", "rule"),
    [
        (lambda seen: seen.modls, "reads 'modls', which a round does not have"),
        (lambda seen: seen.models, "too many"),
        (lambda seen: seen.messages, "too many"),
        (lambda seen: tf.zeros([2]), r"must return a real number for each run, shape \(3,\), not float32 \(2,\)"),
        (lambda seen: 1.0, r"must return a real number for each run"),
        (lambda seen: tf.zeros([3], tf.complex64), r"must return a real number for each run"),
        (lambda seen: 1 / 0, r"the function fails: ZeroDivisionError: division by zero \(test_metrics.py, line"),
        (lambda seen: None, "the function fails: ValueError"),
    ],
)
def test_faults_name_the_metric_and_the_reason(compute, rule):
    otafl.metric("mine")(compute)
    seen = RoundRecord(number=1, carry=lambda: Carried(None, None, ()), absent="too many")
    with pytest.raises(OtaflError, match=rf"run\.metrics = 'mine': {rule}"):
        REGISTERED["mine"].value(seen, RUNS)


AIR = ("aggregation_nmse", "worker_power", "truncated_share")
CLASSIFIES = {"problem.kind": "classification", "problem.dataset": "digits"}


def test_the_engine_brings_every_curve_and_results_have_what_summaries_read():
    costs = {*LEDGER_COSTS.values(), *ENERGIES, "time", "late_workers", "truncated_share"}
    assert {*ROW, *costs, *REGISTERED} == set(CURVES)
    assert set(result_file.REQUIRED) == {"loss", "outcome", "time_slots", "channel_uses", "energy"}


@pytest.mark.parametrize(
    ("overrides", "absent"),
    [
        ({}, {"test_accuracy", "local_epochs", "penalty", "truncated_share"}),
        ({"method": "A-GD"}, {"test_accuracy", "local_epochs", "penalty", "primal_residual", "dual_residual"}),
        ({"method": ["A-GD", "A-FADMM"]}, {"test_accuracy", "local_epochs", "penalty"}),
        ({"method": ["D-GD", "D-FADMM"]}, {"test_accuracy", "local_epochs", "penalty", *AIR}),
        ({"method": "FedAvg"}, {"test_accuracy", "penalty", "primal_residual", "dual_residual", *AIR}),
        ({"method": "FedADMM-InSa"}, {"test_accuracy", "primal_residual", "dual_residual", *AIR}),
        ({"method": "A-SFADMM", **CLASSIFIES}, {"penalty", "truncated_share"}),
        ({"method": "A-SGD", **CLASSIFIES}, {"penalty", "primal_residual", "dual_residual"}),
    ],
)
def test_a_study_has_what_its_methods_and_problem_bring(overrides, absent):
    late = {"late_workers", *REGISTERED}
    assert set(VARIABLES) - set(parse("t", "", overrides).variables) == absent | late | {*ENERGIES}
    assert set(VARIABLES) - set(parse("t", "", overrides | {"energy.whole": True}).variables) == absent | late


def test_every_variable_of_a_result_is_named_by_the_table():
    data = otafl.run("quickstart", SMALL | {"method": "A-FADMM", "run.iterations": 2, "federation.workers": [3, 4]})
    assert set(data.data_vars) == set(parse("t", str(data.attrs["scenario"])).variables)
    for name, variable in data.variables.items():
        assert variable.attrs == {"units": quantity(name).unit, "long_name": quantity(name).long_name}
    assert data["workers"].attrs["long_name"] == "Workers"


NAMES = ["worker_accuracy", "worker_accuracy_worst", "worker_accuracy_low", "worker_accuracy_high"]
LEARNS = {"method": "FedAvg", "problem.kind": "classification", "problem.model": "linear", "run.seeds": 1}
DIGITS = LEARNS | {"problem.dataset": "digits", "run.iterations": 3, "run.metrics": NAMES}
SHARES = arrays.arrays(np.float64, st.tuples(st.integers(1, 41), st.just(2)), elements=st.floats(0, 1))


def read(name: str, values: np.ndarray) -> np.ndarray:
    """A metric of workers whose accuracies are known."""
    everyone = type("Known", (), {"accuracies": lambda self, model: values})()
    server = SimpleNamespace(model=None)
    return np.asarray(REGISTERED[name].compute(RoundRecord(everyone=everyone, server=server)))


@given(SHARES)
def test_statistics_are_those_of_numpy(values):
    worst = np.sort(values, axis=0)[: int(np.ceil(len(values) / 10))].mean(axis=0)
    expected = [values.mean(axis=0), worst, *np.quantile(values, [0.1, 0.9], axis=0)]
    np.testing.assert_allclose([read(name, values) for name in NAMES], expected, atol=1e-12)


def right(task: Training, model: np.ndarray) -> np.ndarray:
    """The share of own samples on which a linear model has the largest output at their class, worker by worker."""
    samples = task.samples
    (weights,) = task.network.unflatten(model)
    flat = samples.features.reshape(len(samples.features), -1)
    found = np.argmax(flat @ np.asarray(weights), axis=1)
    return np.array([np.mean(found[share] == samples.targets[share]) for share in task.shares])


@pytest.mark.parametrize("partition", ["iid", "labels"])
def test_accuracies_are_those_of_each_worker_s_samples(partition):
    keys = DIGITS | {"federation.workers": 7, "federation.partition": partition}
    task = group_of("digits_quickstart", keys).task
    shared, model = task.shared(np.array([0])), np.random.default_rng(0).normal(size=task.elements).astype(np.float32)
    problem = task.kind(task.learner, shared, task.own(np.arange(7)), 0, None)
    found = problem.accuracies(model[None, :, None])[:, 0].numpy()
    np.testing.assert_allclose(found, right(task, model), atol=1e-6)
    places, labels = tf.range(len(task.together)), tf.constant(task.samples.targets[task.together])
    together = problem.unordered._replace(index=places[None], targets=labels[None], count=tf.size(labels)[None])
    every = task.learner.number_right(together, model[None])
    np.testing.assert_allclose(np.sum(found * task.counts), float(every[0]), rtol=1e-6)
    assert np.isnan(problem.accuracies(model[None, :, None] * np.inf)).all()
