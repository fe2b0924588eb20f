"""One result from folders of runs."""

import numpy as np
import pytest

import otafl
from otafl.errors import OtaflError
from otafl.store.identity import ANEW
from otafl.store.store import Store
from otafl.study import plan
from otafl.study.collect import collect
from otafl.study.manifest import manifest
from otafl.study.status import point_statuses
from tests.rounding import assert_results_close

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


def test_a_folder_gives_its_result_back(tmp_path):
    whole = otafl.run("quickstart", KEYS, out=tmp_path)
    assert collect([tmp_path]).dataset().equals(whole)
    assert collect([tmp_path / "quickstart.runs"]).dataset().equals(whole)


def test_folders_of_other_seeds_go_together(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for seed, folder in zip((0, 2), folders, strict=True):
        otafl.run("quickstart", KEYS | {"run.seed": seed}, out=folder)
    assert_results_close(collect(folders[::-1]).dataset(), otafl.run("quickstart", KEYS | {"run.seeds": 4}))


def test_folders_on_other_data_are_not_mixed(tmp_path):
    features = np.random.default_rng(0).standard_normal((60, 4))
    keys = KEYS | {"problem.dataset": str(tmp_path / "mine.npz")}
    for scale, folder, first in ((1.0, "one", 0), (2.0, "two", 2)):
        np.savez(tmp_path / "mine.npz", x_train=scale * features, y_train=features.sum(axis=1))
        otafl.run("quickstart", keys | {"run.seed": first}, out=tmp_path / folder)
    with pytest.raises(OtaflError, match=r"has runs on other data, code or channels than .*one"):
        collect([tmp_path / "one", tmp_path / "two"])


def test_runs_of_one_study_with_code_of_a_session_are_alike(monkeypatch):
    monkeypatch.setattr(plan, "inputs_as_imported", lambda settings, here: [ANEW])
    study = plan.Study(otafl.load("quickstart").override(KEYS))
    assert len(set(study.names)) == len(study.names) == 4
    assert study.unseeded[::2] == study.unseeded[1::2]
    assert len(set(study.unseeded)) == 2


def test_a_run_counts_from_whichever_folder_has_it_and_what_is_missing_is_stopped(tmp_path):
    whole = otafl.run("quickstart", KEYS, out=tmp_path / "whole")
    otafl.run("quickstart", KEYS, out=tmp_path / "part")
    listed = manifest(tmp_path / "part" / "quickstart.runs")
    assert listed
    for run in listed.runs[1:3]:
        Store(tmp_path / "part" / "quickstart.runs").drop(run.name)
    assert collect([tmp_path / "whole", tmp_path / "part"]).dataset().equals(whole)
    assert collect([tmp_path / "part", tmp_path / "whole"]).dataset().equals(whole)
    outcomes = collect([tmp_path / "part"]).dataset()["outcome"].values.tolist()
    assert outcomes == [["completed", "stopped"], ["stopped", "completed"]]


def test_no_folder_at_all_and_one_without_runs(tmp_path):
    with pytest.raises(OtaflError, match="must name the folder of a study"):
        collect([])
    for read in (lambda: collect([tmp_path]), lambda: list(point_statuses(tmp_path))):
        with pytest.raises(OtaflError, match="must be the --out folder of a study"):
            read()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"channel.snr_db": 3.0}, "cannot be mixed"),
        ({"run.seed": 5}, r"must have consecutive seeds together, but have \[0, 1, 5, 6\]"),
    ],
)
def test_what_does_not_go_together_is_refused(keys, words, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for other, folder in zip(({}, keys), folders, strict=True):
        otafl.run("quickstart", KEYS | {"run.iterations": 1} | other, out=folder)
    with pytest.raises(OtaflError, match=words):
        collect(folders)
