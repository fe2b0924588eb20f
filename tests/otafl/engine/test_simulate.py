"""Whole runs through the public interface: what they hold, reproducibility, and that neighbours leave no trace."""

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.engine import inputs
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.results import result_file
from tests.otafl.small import SMALL, dotted, group_of
from tests.rounding import assert_results_close

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
    for name in ("time_slots", "channel_uses", "energy"):
        assert (quickstart[name].diff("iteration") > 0).all()
    for variable in quickstart.variables.values():
        assert {"units", "long_name"} <= set(variable.attrs)
    assert otafl.scenario.file.parse("quickstart", quickstart.attrs["scenario"]).settings.federation.workers == 12
    single = run({"method": "D-GD"})
    assert single["method"].item() == "D-GD"
    assert single["loss"].dims == ("seed", "iteration")


def test_saved_result_is_the_returned_one_and_has_the_same_bits_again(quickstart, tmp_path):
    returned = otafl.run("quickstart", QUICK, out=tmp_path / "new" / "folder")
    xr.testing.assert_identical(returned, quickstart)
    xr.testing.assert_identical(result_file.load(tmp_path / "new" / "folder" / "quickstart.nc"), quickstart)


def test_swept_run_equals_the_run_made_alone(quickstart):
    for method in quickstart["method"].values:
        alone = run({"method": str(method)})
        for name, values in quickstart.sel({"method": method}).data_vars.items():
            np.testing.assert_array_equal(alone.get(name, np.nan), values)


@pytest.mark.parametrize(("dimension", "workers"), [(3, 7), (13, 12)])
def test_width_of_a_sweep_leaves_no_trace(dimension, workers):
    """On both paths of the solver."""
    shape = {"problem.dataset": "synthetic", "problem.samples": 200, "problem.dimension": dimension}
    shape |= {"federation.workers": workers, "method": "A-FADMM", "run.seeds": 1, "run.iterations": 30}
    snr_db = [float(value) for value in range(0, 50, 5)]
    swept = run({**shape, "channel.snr_db": snr_db})
    for value in snr_db[1::8]:
        alone = run({**shape, "channel.snr_db": value})
        assert_results_close(swept.sel(snr_db=value, drop=True), alone.drop_vars("snr_db", errors="ignore"))


def test_logarithmic_record_is_a_part_of_the_whole():
    whole, part = run({"run.iterations": 250}), run({"run.iterations": 250, "run.record": "log"})
    assert part["iteration"].values[-1] == 250
    assert part.sizes["iteration"] < 150
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_array_equal(part[name], whole[name].sel(iteration=part["iteration"]))


def test_chunks_of_work_leave_no_trace(monkeypatch):
    whole = run({"method": "A-FADMM", "run.iterations": 95})
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 20)
    monkeypatch.setattr(inputs, "LONGEST_SEGMENT", 7)
    pieces = run({"method": "A-FADMM", "run.iterations": 95})
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_allclose(pieces[name], whole[name], rtol=1e-9, atol=1e-15)


def group(method: str, seed: int = 5, **keys) -> Group:
    return group_of("quickstart", SMALL | {"federation.workers": 10, "method": method} | dotted(keys), [seed])


def first_chunk(made: Group):
    draws, parts = Draws(made), next(inputs.chunks(made))
    return inputs.chunk_of(draws, list(map(draws.done, parts)))


def test_methods_under_one_seed_share_data_fading_and_noise():
    """A receiver of digital uploads draws no noise."""
    analog, gradients = group("A-FADMM"), group("A-GD")
    digital = group("D-FADMM-10x", algorithm__consensus="channel_weighted")
    np.testing.assert_array_equal(analog.task.stacked.hessian, digital.task.stacked.hessian)
    np.testing.assert_array_equal(analog.channels([3]).of_block(0).gain, digital.channels([3]).of_block(0).gain)
    np.testing.assert_array_equal(analog.air.alone(3, 6), digital.air.alone(3, 100)[..., :6])
    noise = [first_chunk(made).draws.noise for made in (analog, gradients)]
    np.testing.assert_array_equal(*noise)
    assert noise[0][noise[0] != 0].std() > 0.9  # the rest is room for longer runs
    assert first_chunk(digital).draws.noise.shape[3] == 0
    assert not np.array_equal(first_chunk(group("A-FADMM", seed=6)).draws.noise, noise[0])
