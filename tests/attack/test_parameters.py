"""Parameters of the user's own losses, parts and methods: those that cannot be keys are refused where they are made."""

from dataclasses import field, make_dataclass
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl import compressors
from otafl.algorithms.fedavg import FedAvg
from otafl.compressors.none import NoCompression
from otafl.scenario import user_classes

pytestmark = pytest.mark.usefixtures("registries")


def loss(default: Any, name: str) -> Any:
    space: dict[str, Any] = {"tf": tf, "default": default, "__name__": __name__}
    mean = "tf.reduce_mean((tf.linalg.matvec(x, model) - y) ** 2)"
    exec(f"def loss(model, x, y, {name}=default): return {mean}", space)
    return space["loss"]


DEFAULTS = {"list": [1], "none": None, "NumPy's number": np.float64(1), "type": int}
TAKEN = ("losses", "solve", "call", "l2_weight", "copy", "model_fields", "kind", "samples", "_a")
KIND = "must be a truth value, a number or a text"


def registered(register: Any, made: Any) -> str:
    """Return the error with which a class is refused, when it is registered or when its keys are made."""
    try:
        register(made)
        user_classes.load([])
    except ValueError as refused:
        return str(refused)
    return pytest.fail("it is registered")


@pytest.mark.parametrize("default", DEFAULTS.values(), ids=DEFAULTS)
def test_default_of_a_loss(default):
    said = registered(otafl.problem("mine"), loss(default, "a"))
    assert said == f"problem 'mine' a = {default!r}: {KIND}"


@pytest.mark.parametrize("name", TAKEN)
def test_name_of_a_losss_parameter(name):
    assert name in registered(otafl.problem("mine"), loss(1.0, name))


def test_name_and_default_of_a_parts_parameter():
    for name, default, said in (("bits", 1.0, "1.0: must have another name"), ("a", None, f"None: {KIND}")):
        made = make_dataclass("Mine", [(name, Any, field(default=default))], bases=(NoCompression,), frozen=True)
        assert f"{name} = {said}" in registered(compressors.register("mine"), made)


@pytest.mark.parametrize("name", ["copy", "model_fields", "_a"])
def test_name_of_a_methods_parameter(name):
    said = registered(otafl.method("Mine", **{name: otafl.key(1.0, "a key")}), type("Mine", (FedAvg,), {}))
    assert name in said


@pytest.mark.parametrize("name", ["self", "cls", "name", "a"])
def test_names_that_a_parameter_may_have(name):
    otafl.problem("mine")(loss(1.0, name))
    keys = {"problem.kind": "mine", f"problem.{name}": 2.0, "method": "D-FADMM"}
    assert otafl.load("quickstart").override(keys).settings.value(f"problem.{name}") == 2.0
