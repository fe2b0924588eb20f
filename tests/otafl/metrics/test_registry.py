"""Registration of metrics: what is refused, and what a metric may return."""

import math

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms.fedavg import FedAvg
from otafl.errors import OtaflError
from otafl.metrics import REGISTERED, RoundRecord
from otafl.metrics.registry import named
from otafl.metrics.result_variables import COORDINATES, CURVES, OF_KEYS, VARIABLES
from otafl.metrics.round_record import Carried
from otafl.scenario.axis_quantities import quantity
from otafl.scenario.dotted_keys import fields
from otafl.scenario.sweeps import NOT_SWEPT, dimensions
from tests.otafl.scenario.refusal import refused

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
        (lambda seen: 1 / 0, r"the function fails: ZeroDivisionError: division by zero \(test_registry.py, line"),
        (lambda seen: None, "the function fails: ValueError"),
    ],
)
def test_faults_name_the_metric_and_the_reason(compute, rule):
    otafl.metric("mine")(compute)
    seen = RoundRecord(number=1, carry=lambda: Carried(None, None, ()), absent="too many")
    with pytest.raises(OtaflError, match=rf"run\.metrics = 'mine': {rule}"):
        REGISTERED["mine"].value(seen, RUNS)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"run.metrics": ["nonsense"]}, "run.metrics = 'nonsense': must be 'worker_accuracy'"),
        ({"run.metrics": "worker_accuracy"}, "must be a valid tuple"),
        ({"run.metrics": ["worker_accuracy"] * 2}, "must not list a metric twice"),
        ({"run.metrics": [["worker_accuracy"], []]}, "sweep.run.metrics = "),
        ({"plot.y": "worker_accuracy"}, "plot.y = 'worker_accuracy': run.metrics does not name it"),
        ({"plot.y": "nonsense"}, "plot.y = 'nonsense': must be a variable of the result"),
    ],
)
def test_bad_keys_are_refused(overrides, said):
    assert said in refused(overrides)
