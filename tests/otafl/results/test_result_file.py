"""Results in files and long frames, selections that leave nothing, and their origin. No results: tests/attack."""

import os
import subprocess
from importlib import metadata

import numpy as np
import pytest

import otafl
from otafl.errors import OtaflError
from otafl.results import figure_files, report, result_file, summary
from otafl.results.provenance import provenance, revision
from otafl.results.table import table
from otafl.study import compute

SMALL = {"run.seeds": 1, "run.iterations": 3, "federation.workers": 4, "method": "D-GD"}


@pytest.fixture(scope="module")
def result():
    return otafl.run("quickstart", SMALL)


def test_folder_in_the_way_of_a_result(tmp_path):
    (tmp_path / "quickstart.nc" / "in the way").mkdir(parents=True)
    with pytest.raises(OtaflError, match="cannot be written"):
        otafl.run("quickstart", SMALL, out=tmp_path, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quickstart.nc", "quickstart.runs"]


def test_swept_coordinates_have_units_and_numpy_values_are_numbers():
    data = otafl.run("quickstart", {**SMALL, "uplink.slot_s": [1e-3, 2e-3], "cell.radius_m": [20.0, 30.0]})
    assert data["slot_s"].attrs["units"] == "s"
    assert data["radius_m"].attrs == {"units": "m", "long_name": "Cell radius"}
    data = otafl.run("quickstart", {**SMALL, "federation.workers": np.arange(3, 5), "channel.snr_db": np.float64(3.0)})
    assert list(data["workers"].values) == [3, 4]


def test_names_tell_results_apart(result, tmp_path):
    for path in ("a/x.nc", "a/y.nc", "b/x.nc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        result_file.save(result, tmp_path / path)
    first, beside, elsewhere = (result_file.load(tmp_path / path) for path in ("a/x.nc", "a/y.nc", "b/x.nc"))
    assert result_file.names([first, elsewhere.assign_attrs(name="other")]) == ["quickstart", "other"]
    assert result_file.names([first, elsewhere]) == ["a/quickstart", "b/quickstart"]
    assert result_file.names([first, beside, elsewhere]) == ["a/x", "a/y", "b/x"]
    assert result_file.names([first, first]) == ["1/quickstart", "2/quickstart"]
    assert len({row[0][0] for row in table(first, beside).rows}) == 2


READING = {
    "table": table,
    "budget": lambda data: table(data, budgets=[1.0], cost="iteration", variables=["loss"]),
    "summary": summary.of_result,
    "figure": figure_files.figure,
    "report": report.page,
}


@pytest.mark.parametrize("read", READING.values(), ids=READING)
@pytest.mark.parametrize("dimension", ["scheme", "snr_db", "seed", "iteration"])
def test_nothing_selected(study, read, dimension):
    with pytest.raises(OtaflError, match=f"result = 'quickstart': must have values, but has no {dimension}"):
        read(study.isel({dimension: slice(0)}))


@pytest.mark.parametrize("read", [READING["summary"], READING["report"]], ids=["summary", "report"])
@pytest.mark.parametrize("dimension", ["seed", "iteration"])
def test_one_selected(study, read, dimension):
    with pytest.raises(OtaflError, match=f"result = '{dimension}': must be a dimension of the result"):
        read(study.isel({dimension: 0}))
    read(study.isel({dimension: [0]}))


@pytest.mark.parametrize("read", READING.values(), ids=READING)
def test_no_result(study, read):
    for wrong in (study.drop_attrs(), 3):
        with pytest.raises(OtaflError, match=r"^result = "):
            read(wrong)


def test_an_empty_frame_is_tidy(study):
    assert otafl.tidy(study.isel(seed=slice(0))).empty


def test_every_recorded_iteration_of_a_run_is_a_row(study):
    frame = otafl.tidy(study)
    assert list(frame)[:6] == ["scheme", "method", "snr_db", "seed", "iteration", "time_slots"]
    assert len(frame) == study["loss"].size
    for row in frame.sample(5, random_state=0).itertuples():
        at = {name: getattr(row, name) for name in ("scheme", "snr_db", "seed", "iteration")}
        assert row.energy == study["energy"].sel(at).item()
        assert row.outcome == "completed"


@pytest.mark.parametrize(("name", "lacks"), [("primal_residual", "FedAvg@analog"), ("aggregation_nmse", "D-FADMM")])
def test_what_a_scheme_lacks_is_nan_and_loses_no_row(study, name, lacks):
    frame = otafl.tidy(study)
    assert frame[name].isna().equals(frame["scheme"] == lacks)


def test_iterations_behind_the_end_of_a_run_have_no_row(study):
    ended = study.where(study["channel_uses"] < study["channel_uses"].max() / 2)
    frame = otafl.tidy(ended.assign(outcome=study["outcome"]))
    assert len(frame) == int(ended["loss"].notnull().sum()) < study["loss"].size


def test_a_part_of_a_result_is_a_frame_too(study):
    part = study.sel(scheme="D-FADMM", seed=0)
    frame = otafl.tidy(part)
    assert list(frame)[:4] == ["scheme", "method", "snr_db", "seed"]
    np.testing.assert_array_equal(frame["loss"], part["loss"].values.ravel())


def git(folder, *words) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "-q")
    for name in ("code.py", "scenario.toml", "result.nc"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_written_result_does_not_make_the_code_another(checkout, tmp_path_factory):
    assert revision(tmp_path_factory.mktemp("no checkout")) == "none"
    (checkout / "result.nc").write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD")


@pytest.mark.parametrize("name", ["code.py", "scenario.toml"])
def test_changed_code_is_dirty(checkout, name):
    (checkout / name).write_text("2")
    assert revision(checkout) == git(checkout, "rev-parse", "HEAD") + "-dirty"


def test_versions_of_a_source_tree_that_is_not_installed(monkeypatch):

    def unknown(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    installed = provenance()
    monkeypatch.setattr(metadata, "version", unknown)
    assert provenance.__wrapped__() == installed


def test_versions_are_read_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(compute, "provenance", lambda: 1 / 0)
    monkeypatch.setattr(compute, "simulate", lambda *_: pytest.fail("it was computed before"))
    with pytest.raises(ZeroDivisionError):
        otafl.run("quickstart", {"run.iterations": 1, "run.seeds": 1, "method": "A-GD"}, store=False)


def test_reading_a_revision_writes_nothing(checkout):
    """Git refreshes its index by itself where a file was touched; while it does, a commit of the user's would fail."""
    os.utime(checkout / "code.py", (1, 1))
    before = (checkout / ".git" / "index").read_bytes()
    assert not revision(checkout).endswith("-dirty")
    assert (checkout / ".git" / "index").read_bytes() == before
