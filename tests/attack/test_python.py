"""The Python interface: other objects than names, paths and mappings of dotted keys."""

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.errors import OtaflError
from otafl.results import analysis, figure_files, plot, result_file
from otafl.results.statistics import over_seeds
from otafl.study import engines
from otafl.study.collect import collect
from tests.attack.conftest import assert_one_line


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
