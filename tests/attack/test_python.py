"""The Python interface: other objects than names, paths and mappings, and parameters of the user's that are no keys."""

from dataclasses import field, make_dataclass
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import xarray as xr

import otafl
from otafl import compressors
from otafl.algorithms.fedavg import FedAvg
from otafl.compressors.none import NoCompression
from otafl.errors import OtaflError
from otafl.results import analysis, figure_files, plot, result_file
from otafl.results.statistics import over_seeds
from otafl.scenario import user_classes
from otafl.study import engines
from otafl.study.collect import collect
from tests.attack.conftest import assert_one_line

pytestmark = pytest.mark.usefixtures("registries")


class Odd:
    """An object that cannot even be written."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


LOOP: list = []
LOOP.append(LOOP)
OBJECTS = [None, 3, b"quickstart", ["quickstart"], {"method": "A-GD"}, Odd()]


@pytest.mark.parametrize("given", OBJECTS, ids=[type(given).__name__ for given in OBJECTS])
@pytest.mark.parametrize("function", [otafl.load, otafl.run])
def test_scenarios_of_other_types(function, given):
    with pytest.raises(OtaflError, match="must be a scenario's name, or a path to a TOML file") as caught:
        function(given)
    assert_one_line(f"otafl: {caught.value}\n")


@pytest.mark.parametrize("given", [5, "channel.snr_db", ["channel.snr_db"], {"a"}, Odd()], ids=str.__class__)
def test_overrides_that_are_no_mapping(given):
    with pytest.raises(OtaflError, match=r"overrides = .*must map dotted keys to values"):
        otafl.load("quickstart", given)


VALUES = {
    "complex": 1j,
    "set": {20},
    "odd": Odd(),
    "loop": LOOP,
    "empty array": np.zeros(0),
    "array of arrays": np.zeros((2, 2)),
    "complex array": np.array([1j, 2]),
    "nothings": [None, None],
    "huge": 10**5000,
    "range": range(10**12),
    "text": "\0",
    "long text": "x" * 10**6,
    "generator": (value for value in (1, 2)),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_of_other_types(value):
    with pytest.raises(OtaflError, match=r"channel\.snr_db") as caught:
        otafl.run("quickstart", {"channel.snr_db": value})
    assert_one_line(f"otafl: {caught.value}\n")


KEYS = [3, None, "", ".", "channel", "channel.", "channel.snr_db.x", "channel.snr-db", "plot.z", "base", "title"]
KEYS += [("channel", "snr_db"), "x" * 10**5, "канал.шум"]


@pytest.mark.parametrize("key", KEYS)
def test_keys_that_are_none(key):
    with pytest.raises(OtaflError, match="unknown key") as caught:
        otafl.run("quickstart", {key: 1})
    assert_one_line(f"otafl: {caught.value}\n")


@pytest.mark.parametrize("name", ["a\0b.toml", "\ud800", "\ud800.toml", "../quickstart", "quickstart.TOML"])
def test_names_that_no_file_has(name):
    with pytest.raises(OtaflError, match="scenario = "):
        otafl.load(name)


ARGUMENTS = {
    "out": (5, ["out"]),
    "store": (5, None, b"folder", "\0"),
    "progress": (5, True),
    "overwrite": ("no", 1),
    "engine": (5, ["local"]),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ARGUMENTS.items() for value in values])
def test_arguments_of_other_types(tmp_path, name, value):
    with pytest.raises(OtaflError, match=f"{name} = "):
        otafl.run("quickstart", {"run.iterations": 1}, **{"out": tmp_path / "out", name: value})
    assert not (tmp_path / "out").exists()


ONES = (["seed", "iteration"], np.ones((1, 2)))
RESULT = xr.Dataset(
    {"loss": ONES, "time_slots": ONES, "outcome": ("seed", ["completed"])}, {"seed": [0], "iteration": [1, 2]}
)
WRONG = {
    "folders in a text": (lambda: collect("a string"), "DIR = 'a string': must be a list of folders"),
    "result number": (lambda: result_file.load(3), "must be a path"),
    "engine": (lambda: engines.engine(3), "engine = 3: must be one of in_process, local, ray, slurm"),
    "processes": (lambda: engines.engine(processes=1.5), "processes = 1.5: must be a whole number"),
    "scenario of no result": (lambda: result_file.scenario_of(RESULT), "result = 'name': must be an attribute"),
    "budget of what": (lambda: analysis.at_budget(RESULT, "los", "iteration", 1), "variable = 'los': must be a var"),
    "reading of no result": (lambda: analysis.to_target("x", 1, "iteration"), "result = 'x': must be a dataset"),
    "grid of words": (lambda: analysis.on_grid(RESULT, "loss", "iteration", ["a"]), "grid = 'a': must be a real"),
    "statistic": (lambda: over_seeds(np.ones(3), "mode"), "statistic = 'mode': must be one of mean, median"),
    "spread": (lambda: over_seeds(np.ones(3), "mean", "range"), "spread = 'range': must be one of None, deviation"),
    "figure of nothing": (figure_files.figure, "result = '': must be a result, or several"),
    "frame of no result": (lambda: otafl.tidy("x.nc"), "result = 'x.nc': must be a dataset"),
    "figure of no result": (lambda: figure_files.figure(3), "result = 3: must be a dataset"),
    "against what": (lambda: plot.to_target(RESULT, "snr_db", "iteration", 1), "over = 'snr_db': must be a dimension"),
    "file of no result": (lambda: result_file.save(3, "x.nc"), "result = 3: must be a dataset"),
    "reached": (lambda: analysis.to_target(RESULT, 1, "iteration", reached="x"), "reached = 'x': must be 'held' or"),
}


@pytest.mark.parametrize("case", WRONG)
def test_other_functions_given_other_types(case):
    call, message = WRONG[case]
    with pytest.raises(OtaflError, match=message):
        call()


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
