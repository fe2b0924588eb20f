"""Whole runs through the public interface: limits, noise floors, reproducibility and the ledger."""

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.engine import ledger, schedule
from otafl.engine import simulate as engine
from otafl.engine.group import Column, Group
from otafl.results import file
from otafl.settings.keys import Settings

QUICK = {"run.seeds": 2, "run.iterations": 60, "federation.workers": 12}
QUIET = {"channel.snr_db": float("inf")}
STATIC = {"channel.coherence_iterations": float("inf")}


def run(overrides=None, **sweep):
    return otafl.run("quickstart", {**QUICK, **(overrides or {}), **sweep})


@pytest.fixture(scope="module")
def quickstart() -> xr.Dataset:
    return run()


def test_dataset_is_as_documented(quickstart):
    assert quickstart["loss"].dims == ("method", "seed", "iteration")
    assert list(quickstart["iteration"].values[:3]) == [1, 2, 3]
    assert {"loss", "time_slots", "channel_uses", "energy", "primal_residual"} <= set(quickstart.data_vars)
    for variable in quickstart.variables.values():
        assert {"units", "long_name"} <= set(variable.attrs)
    assert otafl.scenario.file.parse("quickstart", quickstart.attrs["scenario"]).settings.federation.workers == 12
    single = run({"method": "D-GD"})
    assert single["method"].item() == "D-GD"
    assert single["loss"].dims == ("seed", "iteration")


def test_costs_never_fall(quickstart):
    for name in ("time_slots", "channel_uses", "energy"):
        assert (quickstart[name].diff("iteration") > 0).all()


def test_saved_result_is_the_returned_one(quickstart, tmp_path):
    returned = otafl.run("quickstart", QUICK, out=tmp_path / "new" / "folder")
    xr.testing.assert_identical(returned, quickstart)
    xr.testing.assert_identical(file.load(tmp_path / "new" / "folder" / "quickstart.nc"), quickstart)


def test_same_seed_same_bits(quickstart):
    xr.testing.assert_identical(run(), quickstart)


def test_swept_run_equals_the_run_made_alone(quickstart):
    for method in quickstart["method"].values:
        alone = run({"method": str(method)})
        for name in alone.data_vars:
            np.testing.assert_array_equal(alone[name], quickstart[name].sel({"method": method}))


def test_sweep_of_numbers_equals_runs_made_alone():
    rho, snr_db = [0.1, 0.5, 2.0], [0.0, 20.0]
    swept = run({"method": "A-FADMM", "algorithm.rho": rho, "channel.snr_db": snr_db})
    for value in rho:
        for snr in snr_db:
            alone = run({"method": "A-FADMM", "algorithm.rho": value, "channel.snr_db": snr})
            np.testing.assert_array_equal(alone["loss"], swept["loss"].sel(rho=value, snr_db=snr))
            np.testing.assert_array_equal(alone["energy"], swept["energy"].sel(rho=value, snr_db=snr))


@pytest.mark.parametrize(("dimension", "workers"), [(3, 7), (6, 12), (13, 12)])
def test_width_of_a_sweep_leaves_no_trace(dimension, workers):
    """Bit for bit, on both paths of the solver."""
    shape = {"problem.dataset": "synthetic", "problem.samples": 200, "problem.dimension": dimension}
    shape |= {"federation.workers": workers, "method": "A-FADMM", "run.seeds": 1, "run.iterations": 30}
    snr_db = [float(value) for value in range(0, 50, 5)]
    swept = run({**shape, "channel.snr_db": snr_db})
    for value in snr_db[::4]:
        alone = run({**shape, "channel.snr_db": value})
        for name in alone.data_vars:
            np.testing.assert_array_equal(alone[name], swept[name].sel(snr_db=value))


def test_a_seed_does_not_depend_on_its_neighbours():
    several, single = run({"run.seeds": 4}), run({"run.seeds": 1, "run.seed": 3})
    np.testing.assert_array_equal(several["loss"].isel(seed=3), single["loss"].isel(seed=0))


def test_chunks_of_work_leave_no_trace(monkeypatch):
    from otafl.engine import inputs

    whole = run({"run.iterations": 95})
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 20)
    monkeypatch.setattr(inputs, "LONGEST_SEGMENT", 7)
    pieces = run({"run.iterations": 95})
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_allclose(pieces[name], whole[name], rtol=1e-9, atol=1e-15)


def test_methods_under_one_seed_share_data_fading_and_noise():
    base = Settings.model_validate({"problem": {"dataset": "synthetic", "samples": 100}, "federation": {"workers": 10}})
    weighted = base.algorithm.model_copy(update={"consensus": "channel_weighted"})
    analog = Group([Column(base, 5)])
    digital = Group([Column(base.model_copy(update={"method": "D-FADMM-10x", "algorithm": weighted}), 5)])
    np.testing.assert_array_equal(analog.task.stacked.hessian, digital.task.stacked.hessian)
    np.testing.assert_array_equal(analog.power_gains(3), digital.power_gains(3))
    np.testing.assert_array_equal(analog.gains(3, 6), digital.gains(3, 100)[..., :6])
    noise = [engine.Draws(group).chunk(next(engine.chunks(group))).noise for group in (analog, digital)]
    np.testing.assert_array_equal(*noise)


@pytest.mark.parametrize("dataset", ["diabetes", "synthetic"])
def test_noise_free_runs_reach_least_squares(dataset):
    overrides = {**QUIET, **STATIC, "problem.dataset": dataset, "problem.samples": 400}
    overrides |= {"run.iterations": 30_000, "run.record": "log"}
    final = run(overrides, method=["A-FADMM", "D-FADMM"])["loss"].isel(iteration=-1)
    assert (final < 1e-9).all()


def test_noise_free_a_fadmm_converges_over_a_changing_channel():
    assert (run({**QUIET, "method": "A-FADMM", "run.iterations": 4000})["loss"].isel(iteration=-1) < 1e-9).all()


def test_unit_channel_makes_a_fadmm_of_d_fadmm_step_for_step():
    both = run({**QUIET, "channel.fading": "none"}, method=["A-FADMM", "D-FADMM"])
    for name in ("loss", "primal_residual", "dual_residual"):
        np.testing.assert_allclose(
            both[name].sel({"method": "A-FADMM"}), both[name].sel({"method": "D-FADMM"}), rtol=1e-9
        )


def test_a_channel_that_changes_every_iteration_stops_training():
    """Algorithm 1 then only flips duals: the local models stay what the first iteration made them."""
    loss = run({**QUIET, "method": "A-FADMM", "channel.coherence_iterations": 1})["loss"]
    np.testing.assert_allclose(loss, np.broadcast_to(loss[:, :1], loss.shape), rtol=1e-12)


def test_channel_weighted_d_fadmm_is_a_fadmm_without_noise():
    analog = run({**QUIET, "method": "A-FADMM"})
    digital = run({"method": "D-FADMM", "algorithm.consensus": "channel_weighted"})
    np.testing.assert_allclose(analog["loss"], digital["loss"], rtol=1e-9)


def test_noise_free_a_gd_is_d_gd():
    np.testing.assert_allclose(run({**QUIET, "method": "A-GD"})["loss"], run({"method": "D-GD"})["loss"], rtol=1e-9)


def test_mean_of_gradients_is_the_sum_with_a_smaller_step():
    summed = run({"method": "D-GD", "local.learning_rate": 1e-3})
    mean = run({"method": "D-GD", "local.learning_rate": 12e-3, "algorithm.gradient_reduction": "mean"})
    np.testing.assert_allclose(summed["loss"], mean["loss"], rtol=1e-9)


def test_gradient_descent_lowers_the_loss_in_every_iteration():
    assert (run({"method": "D-GD", "local.learning_rate": 1e-3})["loss"].diff("iteration") < 0).all()


def test_summed_local_loss_with_scaled_penalty_is_the_mean():
    """f_n times m with ρ times m is the same recursion; the loss is m times as large."""
    data = {"problem.dataset": "synthetic", "problem.samples": 120, "method": "D-FADMM"}
    mean, total = run(data), run({**data, "problem.loss_reduction": "sum", "algorithm.rho": 5.0})
    np.testing.assert_allclose(10 * mean["loss"], total["loss"], rtol=1e-6)


def test_analog_downlink_without_noise_is_the_digital_one():
    downlinks = run({**QUIET, "method": "A-FADMM"}, **{"uplink.downlink": ["digital", "analog"]})["loss"]
    np.testing.assert_allclose(downlinks.sel(downlink="analog"), downlinks.sel(downlink="digital"), rtol=1e-9)


def test_analog_downlink_adds_noise():
    floor = run({"method": "A-FADMM", "run.iterations": 1500}, **{"uplink.downlink": ["digital", "analog"]})["loss"]
    floor = floor.isel(iteration=slice(-500, None)).mean(["seed", "iteration"])
    assert floor.sel(downlink="analog") > 1.5 * floor.sel(downlink="digital")


def test_noise_floor_of_a_fadmm_falls_by_root_ten_per_ten_decibels():
    overrides = {"method": "A-FADMM", "run.seeds": 8, "run.iterations": 4000, "federation.workers": 20}
    loss = run(overrides, **{"channel.snr_db": [40.0, 50.0, 60.0, 70.0]})["loss"].isel(iteration=slice(-2000, None))
    exponents = np.log10(loss.mean("iteration")).polyfit("snr_db", 1)["polyfit_coefficients"].sel(degree=1) * 10
    error = exponents.std("seed", ddof=1) / np.sqrt(exponents.sizes["seed"])
    assert abs(exponents.mean("seed") + 0.5) < 3 * error


def test_per_upload_budget_is_louder_by_the_number_of_elements():
    """P for d elements at d times the SNR is P·d: the same curve, at the same energy."""
    upload = run({"method": "A-FADMM", "uplink.power_budget": "per_upload", "channel.snr_db": 50.0})
    subcarrier = run({"method": "A-FADMM", "channel.snr_db": 40.0})
    np.testing.assert_allclose(upload["loss"], subcarrier["loss"], rtol=1e-9)
    np.testing.assert_allclose(upload["energy"], subcarrier["energy"], rtol=1e-9)


def test_only_the_ratio_of_power_and_noise_matters():
    quiet, loud = run({"method": "A-FADMM"}), run({"method": "A-FADMM", "uplink.noise_psd_w_per_hz": 1e-6})
    np.testing.assert_allclose(quiet["loss"], loud["loss"], rtol=1e-9)
    np.testing.assert_allclose(1e3 * quiet["energy"], loud["energy"], rtol=1e-9)


def test_analog_ledger_by_hand():
    costs = run({"method": "A-FADMM", "uplink.subcarriers": 4})
    iteration = costs["iteration"].values
    np.testing.assert_array_equal(costs["time_slots"].isel(seed=0), 3 * iteration)
    np.testing.assert_array_equal(costs["channel_uses"].isel(seed=0), 10 * iteration)
    power = 1e4 * 15e3 * 1e-9
    assert (costs["energy"].diff("iteration") <= 12 * power * 10 * 1e-3 * (1 + 1e-9)).all()


@pytest.mark.parametrize("subcarriers", [1, 3, 12, 40])
def test_digital_ledger_against_slot_by_slot_transmission(subcarriers):
    """Workers send slot by slot on their interval of the band until all bits are through."""
    settings = Settings.model_validate(
        {
            "method": "D-FADMM",
            "problem": {"dataset": "synthetic", "samples": 60, "dimension": 5},
            "federation": {"workers": 6},
            "uplink": {"subcarriers": subcarriers},
            "channel": {"snr_db": 3.0},
        }
    )
    group = Group([Column(settings, 2)])
    cost = ledger.Ledger(group)
    cost.enter(schedule.Segment(block=4, start=40, length=1, changed=True))
    slots, uses, energy, elements = cost.cumulative(np.zeros((1, 1)))[0, :, 0]

    gains = np.abs(group.gains(4, subcarriers)[0]) ** 2
    expected_slots, expected_uses = 0, 0.0
    for worker in range(6):
        low, high = worker * subcarriers / 6, (worker + 1) * subcarriers / 6
        overlap = [max(0.0, min(high, k + 1) - max(low, k)) for k in range(subcarriers)]
        sent, worker_slots = 0.0, 0
        while sent < 32 * 5:
            worker_slots += 1
            for k in range(subcarriers):
                sent += overlap[k] * 15 * np.log2(1 + 10**0.3 * gains[worker, k])
        expected_slots = max(expected_slots, worker_slots)
        expected_uses += worker_slots * subcarriers / 6
    assert elements == 6 * 5
    assert slots == expected_slots
    assert uses == pytest.approx(expected_uses)
    assert energy == pytest.approx(expected_uses * 10**0.3 * 15e3 * 1e-9 * 1e-3)


def test_one_slot_uploads_against_one_subcarrier_after_the_other():
    settings = {"method": "D-FADMM", "uplink": {"subcarriers": "one_slot"}, "channel": {"snr_db": 0.0}}
    settings |= {"problem": {"dataset": "synthetic", "samples": 60, "dimension": 5}, "federation": {"workers": 6}}
    group = Group([Column(Settings.model_validate(settings), 2)])
    cost = ledger.Ledger(group)
    cost.enter(schedule.Segment(block=0, start=0, length=1, changed=False))
    slots, uses, *_ = cost.cumulative(np.zeros((1, 1)))[0, :, 0]
    slowest = 0
    for gains in np.abs(group.gains(0, 64)[0]) ** 2:
        sent, count = 0.0, 0
        while sent < 32 * 5:
            sent += 15 * np.log2(1 + gains[count])
            count += 1
        slowest = max(slowest, count)
    assert (slots, uses) == (1, 6 * slowest)


def test_limit_on_channel_uses_ends_a_run():
    limited = run({"method": "A-FADMM", "run.max_channel_uses": 105.0})
    assert limited["loss"].notnull().sum("iteration").values.tolist() == [10, 10]
    assert limited["channel_uses"].max() == 100


def test_logarithmic_record_is_a_part_of_the_whole():
    whole, part = run({"run.iterations": 250}), run({"run.iterations": 250, "run.record": "log"})
    assert part["iteration"].values[-1] == 250
    assert part.sizes["iteration"] < 150
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_array_equal(part[name], whole[name].sel(iteration=part["iteration"]))
