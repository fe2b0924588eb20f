"""Whole runs through the public interface: what they hold, reproducibility, and that neighbours leave no trace."""

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.results import result_file
from tests.otafl.small import SMALL
from tests.rounding import assert_close, assert_results_close

QUICK = SMALL | {"run.seeds": 2, "run.iterations": 60, "federation.workers": 12}


def run(overrides=None, **sweep):
    return otafl.run("quickstart", {**QUICK, **(overrides or {}), **sweep})


@pytest.fixture(scope="module")
def quickstart() -> xr.Dataset:
    return run()


def test_dataset_is_as_documented(quickstart):
    assert quickstart["loss"].dims == ("scheme", "seed", "iteration")
    assert list(quickstart["iteration"].values[:3]) == [1, 2, 3]
    assert {"loss", "time_slots", "channel_uses", "energy"} <= set(quickstart.data_vars)
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
    xr.testing.assert_identical(result_file.load(tmp_path / "new" / "folder" / "quickstart.nc"), quickstart)


def test_same_seed_same_bits(quickstart):
    xr.testing.assert_identical(run(), quickstart)


def test_swept_run_equals_the_run_made_alone(quickstart):
    for method in quickstart["method"].values:
        alone = run({"method": str(method)})
        for name, values in quickstart.sel({"method": method}).data_vars.items():
            np.testing.assert_array_equal(alone.get(name, np.nan), values)


def test_sweep_of_numbers_equals_runs_made_alone():
    rho, snr_db = [0.1, 0.5, 2.0], [0.0, 20.0]
    swept = run({"method": "A-FADMM", "algorithm.rho": rho, "channel.snr_db": snr_db})
    for value in rho:
        for snr in snr_db:
            alone = run({"method": "A-FADMM", "algorithm.rho": value, "channel.snr_db": snr})
            for name in ("loss", "energy"):
                assert_close(alone[name], swept[name].sel(rho=value, snr_db=snr))


@pytest.mark.parametrize(("dimension", "workers"), [(3, 7), (6, 12), (13, 12)])
def test_width_of_a_sweep_leaves_no_trace(dimension, workers):
    """On both paths of the solver."""
    shape = {"problem.dataset": "synthetic", "problem.samples": 200, "problem.dimension": dimension}
    shape |= {"federation.workers": workers, "method": "A-FADMM", "run.seeds": 1, "run.iterations": 30}
    snr_db = [float(value) for value in range(0, 50, 5)]
    swept = run({**shape, "channel.snr_db": snr_db})
    for value in snr_db[::4]:
        alone = run({**shape, "channel.snr_db": value})
        assert_results_close(swept.sel(snr_db=value, drop=True), alone.drop_vars("snr_db", errors="ignore"))


@pytest.mark.parametrize("dimension", [4, 6, pytest.param(10, marks=pytest.mark.slow)])
def test_a_seed_does_not_depend_on_its_neighbours(dimension):
    keys = {"problem.dimension": dimension}
    several, single = run(keys | {"run.seeds": 4}), run(keys | {"run.seeds": 1, "run.seed": 3})
    assert_close(several["loss"].isel(seed=3), single["loss"].isel(seed=0))


def test_logarithmic_record_is_a_part_of_the_whole():
    whole, part = run({"run.iterations": 250}), run({"run.iterations": 250, "run.record": "log"})
    assert part["iteration"].values[-1] == 250
    assert part.sizes["iteration"] < 150
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_array_equal(part[name], whole[name].sel(iteration=part["iteration"]))
