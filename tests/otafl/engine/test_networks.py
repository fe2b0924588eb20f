"""Runs that train networks on digits: learning, costs, sweeps, endings and refusals."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from benchmarks.groups import first_group
from otafl.engine.channel_process import BlockGains
from otafl.engine.simulate import Listener, simulate
from otafl.results import analysis, summary
from otafl.training import models
from otafl.uplinks.uplink import Senders
from tests.otafl.small import group_of
from tests.rounding import SINGLE, assert_close

DIGITS = {
    "run.seeds": 1,
    "run.iterations": 6,
    "federation.workers": 6,
    "local.steps": 5,
    "local.batch_size": 20,
    "method": "A-SFADMM",
    "channel.coherence_iterations": 3.0,
}


def run(overrides=None, name="digits_quickstart", **keys):
    return otafl.run(name, DIGITS | (overrides or {}), **keys)


@pytest.fixture(scope="module")
def result():
    return run({"method": ["A-SFADMM", "D-SFADMM", "A-SGD", "D-SGD"]})


def test_result_holds_what_it_should(result):
    learning = {"loss", "test_accuracy", "local_epochs", "primal_residual", "dual_residual", "aggregation_nmse"}
    costs = {"time_slots", "time", "channel_uses", "energy", "uplink_elements", "worker_power", "truncated_share"}
    assert set(result.data_vars) == learning | costs | {"outcome"}
    assert result["test_accuracy"].dims == ("scheme", "seed", "iteration")
    assert result["test_accuracy"].notnull().all()
    assert (result["outcome"] == "completed").all()
    assert all(variable.attrs["units"] for variable in result.data_vars.values())


def test_training_learns(result):
    for method in ("A-SFADMM", "D-SFADMM"):
        curve = result.sel({"method": method}).isel(seed=0)
        assert curve["test_accuracy"][-1] > curve["test_accuracy"][0] + 0.2
        assert curve["loss"][-1] < curve["loss"][0]
        np.testing.assert_allclose(curve["local_epochs"], 5 * 20 / (1438 / 6), rtol=1e-2)


def test_digital_training_does_not_depend_on_the_snr(result):
    keys = {"method": "D-SFADMM", "run.iterations": 3}
    quiet, loud = result.sel({"method": "D-SFADMM"}).isel(iteration=slice(3)), run(keys | {"channel.snr_db": 0.0})
    both = run(keys | {"channel.snr_db": [0.0, 40.0]})
    for snr_db, alone in ((0.0, loud), (40.0, quiet)):
        for name in ("loss", "test_accuracy", "time_slots", "energy"):
            np.testing.assert_array_equal(both[name].sel(snr_db=snr_db), alone[name])
    np.testing.assert_array_equal(loud["loss"], quiet["loss"])
    assert (loud["time_slots"] > quiet["time_slots"]).all()


def test_change_of_channel_in_a_run():
    """Before the first change both ways are one; in the round of the change they differ."""
    data = run({"algorithm.on_channel_change": ["train", "dual_flip"], "run.iterations": 4})
    train, flip = (data.sel(on_channel_change=name) for name in ("train", "dual_flip"))
    assert_close(flip["loss"][..., :3], train["loss"][..., :3], SINGLE)
    assert (train["loss"][..., 3] != flip["loss"][..., 3]).all()


def test_budget_of_uses_ends_a_run():
    data = run({"run.max_channel_uses": 4 * 2368.0, "run.evaluate_every": 3}).isel(seed=0)
    assert list(data["iteration"].values[data["time_slots"].notnull()]) == [1, 2, 3, 4]
    assert list(data["iteration"].values[data["test_accuracy"].notnull()]) == [3]
    assert data["outcome"] == "completed"


def test_evaluation_where_it_is_asked_for():
    data = run({"run.evaluate_every": 4})
    every = run()
    read = data["test_accuracy"].isel(seed=0)
    assert list(data["iteration"].values[read.notnull()]) == [4, 6]
    np.testing.assert_array_equal(read.values[[3, 5]], every["test_accuracy"].isel(seed=0).values[[3, 5]])
    assert analysis.at_budget(data, "test_accuracy", "iteration", 5).item() == read.values[3]


def test_divergence_ends_a_run_and_not_the_sweep():
    data = run({"local.learning_rate": [1e30, 0.01]})
    bad, good = (data.sel(learning_rate=rate).isel(seed=0) for rate in (1e30, 0.01))
    assert (bad["outcome"].item(), good["outcome"].item()) == ("diverged", "completed")
    last = int(bad["time_slots"].notnull().sum())
    assert 1 <= last < 6
    assert not np.isfinite(bad["loss"][last - 1])
    assert np.isnan(bad["test_accuracy"][last - 1])
    assert bad["test_accuracy"][last:].isnull().all()
    assert [list(column.cells) for column in summary.table(data).columns][-1][0] == "diverged"


KEYS = {"method": "FedAvg@ideal", "run.iterations": 2, "run.seeds": 1, "federation.workers": 3}


class Watching(Listener):
    """Listener that notes if a card may round the factors of products."""

    def advanced(self, iterations: int, standing: str) -> None:
        self.rounds = tf.config.experimental.tensor_float_32_execution_enabled()


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("precision", ["float32", "tf32", "bfloat16"])
def test_factors_are_rounded_where_that_is_asked_for_and_settings_are_restored(before, precision):
    watching, group = Watching(), group_of("digits_quickstart", {**KEYS, "run.precision": precision})
    tf.config.experimental.enable_tensor_float_32_execution(before)
    try:
        simulate(group, watching)
        assert watching.rounds == (precision == "tf32")
        assert tf.config.experimental.tensor_float_32_execution_enabled() == before
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(True)


def test_no_program_serves_two_precisions_and_a_processor_has_single_precision_for_both():
    forms = [group_of("digits_quickstart", {**KEYS, "run.precision": name}).form for name in ("float32", "tf32")]
    assert forms[0] != forms[1]
    single, rounded = (otafl.run("digits_quickstart", {**KEYS, "run.precision": name}) for name in ("float32", "tf32"))
    card = bool(tf.config.list_physical_devices("GPU"))  # which rounds factors to 10 bits
    np.testing.assert_allclose(rounded["loss"], single["loss"], rtol=1e-3 if card else 1e-6)
    assert not card or not np.array_equal(rounded["loss"], single["loss"])


def test_ledger_of_the_paper():
    """d = 109,184: 27 slots at 4,096 subcarriers, 3 at ten times as many, 109,184 uses an upload (section V-A)."""
    for method, slots in (("A-SFADMM", 27), ("A-SFADMM-10x", 3), ("A-SGD", 27)):
        scenario = otafl.load("mnist_communication").override({"method": method, "problem.dataset": "digits"})
        group = first_group(scenario.override({"problem.model": f"{__name__}:wide"}))
        cost = group.uplink.cost(
            Senders(group.workers, BlockGains(group.air, 0, group.seed_index), np.ones(1), np.ones(1))
        )
        assert group.elements == 109_184
        assert (cost.slots[0], cost.uses[0]) == (slots, 109_184)


def wide(input_shape, outputs):
    """A model of the paper's size for smaller images: 64 · 848 + 848 · 64 + 64 · 10 = 109,184 weights."""
    return models.mlp(input_shape, outputs, hidden=(848, 64))


def test_truncation_of_the_paper_never_silences():
    """ε = 1e-6 mutes a subcarrier with probability 1e-12: nobody is silent in a run, and every arrival is exactly 1."""
    overrides = {"method": "A-SGD", "problem.dataset": "digits", "problem.model": f"{__name__}:wide", "run.seeds": 1}
    group = first_group(otafl.load("mnist_communication", overrides))
    blocks = int(group.settings.run.iterations / group.settings.channel.coherence_iterations)
    assert blocks == 6
    for block in range(blocks):
        channel = group.channels([block]).of_block(0)
        assert channel.arrival.shape == (100, 4096, 1)
        assert (channel.arrival == 1).all()
        assert (channel.noise_gain == 1).all()
        assert (channel.power > 0).all()


def test_defaults_are_the_papers():
    points = {point["method"]: settings for point, settings in otafl.load("mnist_communication").points()}
    settings = points["A-SFADMM"]
    assert (settings.algorithm.rho, settings.local.steps, settings.local.batch_size) == (0.5, 20, 100)
    assert settings.local.optimizer == "adam"
    rates = {name: points[name].local.learning_rate for name in ("A-SFADMM", "D-SFADMM", "A-SGD")}
    assert rates == {"A-SFADMM": 0.01, "D-SFADMM": 0.01, "A-SGD": 0.005}
