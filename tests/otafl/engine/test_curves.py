"""The curves of a group, how its runs end, and whole runs: what they hold, and that neighbours leave no trace."""

import itertools

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.engine import inputs
from otafl.engine.costs import Ledger
from otafl.engine.curves import Record
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.iteration import METRICS
from otafl.engine.participation import everybody
from otafl.results import result_file
from otafl.settings.run import Run
from tests.otafl.small import SMALL, dotted, group_of

NAMES = (*METRICS, "test_accuracy")


@pytest.fixture
def record():
    """A record of two runs of so many iterations, of which some are done with the losses that are given."""

    def made(losses, iterations: int = 6, **run) -> Record:
        keys = {"problem.dataset": "synthetic", "problem.samples": 40, "problem.dimension": 5, "method": "A-FADMM"}
        keys |= {"federation.workers": 4, "uplink.subcarriers": 5, "run.iterations": iterations} | dotted(run)
        group = group_of("quickstart", keys, range(2))
        record, ledger = Record(group), Ledger(group)
        losses = np.array(losses, float).reshape(-1, 2)
        for part in np.array_split(losses, 2) if len(losses) else []:
            costs = ledger.enter(0, everybody(group.settings), len(part))
            record.enter({name: np.ones_like(part) for name in NAMES} | {"loss": part}, costs)
        return record

    return made


def test_a_diverged_run_ends_at_its_first_loss_that_is_not_finite(record):
    losses = [[5, 5], [np.inf, 4], [np.nan, 3], [1, 2], [1, 1], [1, 1]]
    curves = record(losses).curves()
    assert curves.outcomes.tolist() == ["diverged", "completed"]
    assert curves.values["loss"][0, 1] == np.inf
    for name, values in curves.values.items():
        beyond = np.isnan(values[0]) if name != "test_accuracy" else np.ones(6, bool)
        np.testing.assert_array_equal(beyond[2:], True)
        assert name == "test_accuracy" or not beyond[:2].any()
    np.testing.assert_array_equal(curves.values["loss"][1], [5, 4, 3, 2, 1, 1])


def test_runs_that_were_stopped(record):
    assert record([]).curves().outcomes.tolist() == ["stopped", "stopped"]
    assert record([]).curves().values == {}
    curves = record([[5, 5], [4, np.nan], [3, 3]]).curves()
    assert curves.outcomes.tolist() == ["stopped", "diverged"]
    np.testing.assert_array_equal(curves.values["loss"][0], [5, 4, 3, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(curves.values["energy"][1], [1, 2, np.nan, np.nan, np.nan, np.nan])


def test_a_run_whose_uses_are_up_is_complete(record):
    """Also where iterations were computed beyond, for the sake of other runs, and lost their way there."""
    curves = record([[5, 5], [4, 4], [np.nan, 3]], run__max_channel_uses=12.0).curves()
    assert curves.outcomes.tolist() == ["completed", "completed"]
    np.testing.assert_array_equal(curves.values["loss"], [[5, 4, np.nan, np.nan, np.nan, np.nan]] * 2)
    np.testing.assert_array_equal(curves.values["channel_uses"][0, :3], [5, 10, np.nan])


def test_recorded_iterations_alone_are_kept(record):
    losses = np.repeat(np.arange(250.0, 0, -1)[:, None], 2, axis=1)
    kept = np.flatnonzero(record([], 250, run__record="log").is_recorded)
    skipped = np.setdiff1d(np.arange(250), kept)[0]
    losses[skipped, 0] = losses[kept[-2], 1] = np.nan
    curves = record(losses, 250, run__record="log").curves()
    assert curves.outcomes.tolist() == ["completed", "diverged"]
    np.testing.assert_array_equal(curves.values["loss"][0], losses[kept, 0])
    np.testing.assert_array_equal(curves.values["channel_uses"][0], 5.0 * (kept + 1))
    np.testing.assert_array_equal(np.isnan(curves.values["loss"][1]), np.arange(len(kept)) >= len(kept) - 2)


@given(st.integers(1, 10**6))
def test_logarithmic_record(iterations):
    kept = Run(iterations=iterations, record="log").recorded
    assert kept[-1] == iterations
    assert list(kept[:100]) == list(range(1, min(iterations, 100) + 1))
    assert all(later <= 1.03 * earlier + 1 for earlier, later in itertools.pairwise(kept))


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
