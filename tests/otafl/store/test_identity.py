"""The name of a run: it changes with all that a result depends on, and with nothing else."""

import dataclasses
import sys
import types
from functools import partial

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.store import identity
from otafl.store.identity import run_name
from otafl.uplinks import chain


def name(overrides=None, study="quickstart", seed=0) -> str:
    _, settings = next(otafl.load(study, overrides or {}).points())
    return run_name(settings, seed)


@pytest.mark.parametrize(
    "keys",
    [
        {"run.iterations": 7},
        {"run.seeds": 1},
        {"run.seed": 3},
        {"run.target_loss": 0.1},
        {"channel.fading": "rayleigh"},
        {"channel.snr_db": [10.0, 20.0]},
    ],
    ids=str,
)
def test_what_a_run_does_not_depend_on(keys):
    """How many there are and how long they are, what a summary reads, and defaults that are said."""
    base = {"channel.snr_db": 10.0}
    assert name(base | keys) == name(base)


@pytest.mark.parametrize("method", ["D-FADMM-10x", "D-FADMM-10x@digital", "A-FADMM again"])
def test_variants_of_a_method_have_names(method):
    assert name({"method": method}) != name({"method": "A-GD"})


@pytest.mark.parametrize(
    "keys",
    [
        {"channel.snr_db": 11.0},
        {"method": "A-GD"},
        {"algorithm.rho": 0.6},
        {"run.max_channel_uses": 100.0},
        {"problem.dataset": "synthetic"},
        {"federation.workers": 9},
        {"run.record": "log"},
    ],
    ids=str,
)
def test_what_a_run_depends_on(keys):
    assert name({"method": "A-FADMM"} | keys) != name({"method": "A-FADMM"})


def test_runs_differ_by_their_seed():
    assert name(seed=1) != name(seed=2)


def test_data_tell_themselves_apart(monkeypatch):
    before = name()
    real = sources.DATASETS["linear_regression"]["diabetes"].load(otafl.load("quickstart").settings.problem, 0, 0)
    changed = dataclasses.replace(real, targets=real.targets + np.float64(1e-9))
    monkeypatch.setattr(sources.Source, "load", lambda *_: changed)
    assert name() != before


def test_a_function_of_a_session_that_no_file_holds_is_another_one_every_time(monkeypatch):
    monkeypatch.setitem(sys.modules, "session", types.ModuleType("session"))
    keys = {"problem.model": "session:build"}
    assert name(keys, "digits_quickstart") != name(keys, "digits_quickstart")
    settings = next(otafl.load("digits_quickstart", keys).points())[1]
    identity.require_unchanged(settings, identity.inputs(settings))


def test_a_change_is_told_by_its_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = {"problem.dataset": "mine.npz", "channel.fading": "file", "channel.file": "h.npz", "method": "A-FADMM"}
    for file, arrays in (
        ("mine", {"x_train": np.eye(8), "y_train": np.arange(8)}),
        ("h", {"h": np.ones((1, 9, 1, 9))}),
    ):
        np.savez(tmp_path / f"{file}.npz", **arrays)
    settings = next(otafl.load("quickstart", keys).points())[1]
    known = identity.inputs(settings)
    identity.require_unchanged(settings, known)
    np.savez(tmp_path / "h.npz", h=2 * np.ones((1, 9, 1, 9)))
    with pytest.raises(
        OtaflError, match=r"channel\.file = 'h\.npz': has changed since the study began; the same command"
    ):
        identity.require_unchanged(settings, known)


def test_a_model_of_ones_own_counts_by_its_source(tmp_path, monkeypatch):
    """From the folder that a command is given in, too, which is on no path."""
    monkeypatch.chdir(tmp_path)
    names = []
    for width in (3, 4):
        (tmp_path / "mine_told.py").write_text(f"WIDTH = {width}\n")
        names.append(name({"problem.model": "mine_told:build"}, "digits_quickstart"))
    assert names[0] != names[1]


def test_how_long_and_how_often_is_no_matter_where_nothing_else_of_it_is_said():
    """A table that has a key which does not count is as one that has none."""
    plain = Settings.model_validate({"method": "A-FADMM"})
    longer = Settings.model_validate({"method": "A-FADMM", "run": {"iterations": 7, "seeds": 9}})
    assert run_name(plain, 0) == run_name(longer, 0)


@pytest.mark.parametrize("name", ["energy", "majority"])
def test_a_correction_of_a_part_renames_its_runs_alone(name, monkeypatch):
    """The store does not hand out the part's earlier numbers; other runs keep their names."""
    keys = {"uplink.scheme": "FSK-MV", "method": "FedSGD", "local.steps": None, "uplink.kind": "analog"}
    ((_, votes),) = otafl.load("digits_quickstart", keys).points()
    ((_, sums),) = otafl.load("digits_quickstart", {"method": "FedAvg@analog"}).points()
    before = run_name(votes, 0), run_name(sums, 0)
    made = chain.PARTS["receiver"][name]
    monkeypatch.setattr(made, "version", made.version + 1)
    assert (run_name(votes, 0) != before[0]) == (name == "energy")
    assert run_name(sums, 0) == before[1]


def test_corrections_of_some_runs_leave_the_names_of_others(monkeypatch):
    broadcast = {"uplink.downlink": "analog", "channel.coherence_iterations": 3.0}
    concerned, others = [broadcast | {"energy.whole": True}], [broadcast, {"energy.whole": True}, {}]
    before = [name({"method": "A-FADMM"} | keys) for keys in (*concerned, *others)]
    monkeypatch.delitem(identity.CORRECTED, "analog broadcast")
    after = [name({"method": "A-FADMM"} | keys) for keys in (*concerned, *others)]
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, False, False, False]


def test_a_correction_of_a_method_renames_its_runs_alone(monkeypatch):
    names = {
        name: partial(run_name, next(otafl.load("digits_quickstart", {"method": name}).points())[1], 0)
        for name in ("FedAdam", "FedAvg")
    }
    before = {name: named() for name, named in names.items()}
    monkeypatch.setattr(type(METHODS["FedAdam"]), "version", 1)
    assert {name for name, named in names.items() if named() != before[name]} == {"FedAdam"}


def test_corrections_of_training_concern_models_of_the_users_own(tmp_path, monkeypatch):
    """Only these had regularisers, which were left out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_corrected.py").write_text("WIDTH = 3\n")
    models = "mine_corrected:build", "mlp_small"
    before = [name({"problem.model": model}, "digits_quickstart") for model in models]
    monkeypatch.setitem(identity.CORRECTED, "regularisers", (3, identity.CORRECTED["regularisers"][1]))
    after = [name({"problem.model": model}, "digits_quickstart") for model in models]
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, False]


def test_corrections_of_surfaces_concern_runs_with_elements(monkeypatch):
    with_elements = {"cell.surface_elements": 4, "uplink.kind": "analog", "uplink.precoder": "channel_inversion"}
    with_elements |= {
        "method": "FedAvg",
        "channel.fading": "rayleigh",
        "cell.radius_m": 9.0,
        "cell.inner_radius_m": 5.0,
    }
    keys = with_elements, with_elements | {"cell.surface_elements": 0}
    before = [name(one, "digits_quickstart") for one in keys]
    monkeypatch.setitem(identity.CORRECTED, "surface", (3, identity.CORRECTED["surface"][1]))
    after = [name(one, "digits_quickstart") for one in keys]
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, False]


def test_a_file_that_is_deleted_during_a_study_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine_deleted.py"
    file.write_text("WIDTH = 3\n")
    _, settings = next(otafl.load("digits_quickstart", {"problem.model": "mine_deleted:build"}).points())
    known = identity.inputs(settings)
    file.unlink()
    with pytest.raises(OtaflError, match=r"problem\.model = 'mine_deleted.py': has changed since the study began"):
        identity.require_unchanged(settings, known)
