"""Runs that end at a sustained target, ``run.stop_at``: where, with which outcome, and under which name."""

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.engine.outcome import sustained
from otafl.results import analysis
from otafl.store.identity import run_name
from tests.otafl.small import SMALL, settings_of

KEYS = SMALL | {"method": "A-FADMM", "federation.workers": 4, "run.iterations": 150, "run.seeds": 3}
KEYS |= {"channel.snr_db": [-10.0, 30.0], "algorithm.rho": 10.0, "run.stop_at": {"loss": 0.01}}
"""Three runs that never stay within the target, and three that do, after other numbers of rounds."""
PLAIN = {key: value for key, value in KEYS.items() if key != "run.stop_at"}


@pytest.mark.parametrize(("outside", "end"), [(0, 6), (2, 8), (41, 47), (70, 81)])
def test_a_target_is_sustained_by_six_readings_and_an_eighth_of_the_rounds(outside, end):
    """The last round outside, 41, must be before 7/8 of the present one; with NaN where nothing is read."""
    iterations = np.arange(1, 101)
    values = np.where(iterations <= outside, 2.0, 1.0)
    assert iterations[sustained(values, iterations, 1.0).argmax()] == end
    apart = np.full(200, np.nan)
    apart[1::2] = values
    assert sustained(apart, np.repeat(iterations, 2), 1.0).argmax() == 2 * end - 1
    assert not sustained(values, iterations, 0.5).any()


def test_a_run_ends_where_the_target_is_sustained_and_is_the_beginning_of_one_without():
    data, whole = otafl.run("quickstart", KEYS), otafl.run("quickstart", PLAIN)
    there = data["time_slots"].notnull()
    ends = there.sum("iteration").values
    assert data["outcome"].values.tolist() == [["completed"] * 3, ["at_target"] * 3]
    assert len({*ends.flat}) == 4
    for name in set(whole) - {"outcome"}:
        np.testing.assert_array_equal(data[name], whole[name].where(there), err_msg=name)
    for loss, end in zip(whole["loss"].values[1], ends[1], strict=True):
        assert sustained(loss, np.arange(1, 151), 0.01).argmax() == end - 1
    assert (analysis.to_target(data, 0.01, "iteration").values[1] <= ends[1]).all()


@pytest.mark.daily(1)
@pytest.mark.parametrize("seed", [3, 0, 1, 2])
def test_runs_from_a_store_of_longer_and_shorter_ones_are_as_alone(seed, tmp_path):
    """All variables and outcomes, with a network for even seeds."""
    rng, every = np.random.default_rng(seed), 2 + seed // 2
    keys = {"run.seeds": 2, "federation.workers": 3, "federation.deadline_s": rng.choice([0.3, 1.0])}
    if seed % 2:
        keys |= KEYS | keys | {"run.record": "log", "run.stop_at": {"loss": rng.choice([0.01, 0.1])}}
        rounds, uses = rng.choice(np.arange(100, 160), 3), rng.choice([5e2, 1e9])
    else:
        keys |= {"method": "FedAvg@analog", "problem.model": "linear", "local.epochs": 1}
        keys |= {"run.evaluate_every": every, "run.stop_at": {"test_accuracy": 0.05}}
        rounds, uses = rng.permutation([5 * every + 1, 6 * every + 1, 7 * every]), 1e9
    keys |= {"run.max_channel_uses": uses}
    name = "quickstart" if seed % 2 else "digits_quickstart"
    for iterations in map(int, rounds):
        otafl.run(name, keys | {"run.iterations": iterations}, out=tmp_path / str(iterations), store=tmp_path / "store")
    for iterations in map(int, rounds):
        asked = keys | {"run.iterations": iterations}
        stored = otafl.run(name, asked, out=tmp_path / "again", store=tmp_path / "store", overwrite=True)
        xr.testing.assert_equal(stored, otafl.run(name, asked))


@pytest.mark.slow
def test_networks_end_with_their_model_at_an_accuracy_or_a_metric_that_rises(tmp_path):
    keys = {"method": "FedAvg", "run.seeds": 1, "run.iterations": 20, "federation.workers": 4, "local.steps": 5}
    keys |= {"run.metrics": ["worker_accuracy"]}
    for name, some in (("test_accuracy", 1.0), ("worker_accuracy", 0.5)):
        asked = keys | {"run.stop_at": {name: 0.5}, "federation.participation": some}
        result = otafl.run("digits_quickstart", asked, out=tmp_path, store=tmp_path / "store", overwrite=True)
        assert otafl.model(result).count_params() > 0
        data = result.squeeze()
        assert data["outcome"] == "at_target"
        within = (data[name] >= 0.5).values[: int(data["time_slots"].notnull().sum())]
        assert within[-6:].all()
        assert not within[-7:].all()


def test_a_name_depends_on_the_target_alone():
    asked = (PLAIN, KEYS, KEYS | {"run.stop_at": {"loss": 0.6}}, KEYS | {"run.stop_at": {}})
    names = [run_name(settings_of("quickstart", keys), 0) for keys in asked]
    assert len({*names[:3]}) == 3
    assert names[3] == names[0]
