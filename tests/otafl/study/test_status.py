"""How a study's runs stand: done, held by somebody, or missing."""

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.store.store import Store
from otafl.study.directory import manifest
from otafl.study.status import standings

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


def test_runs_are_done_running_or_missing(tmp_path):
    otafl.run("quickstart", KEYS, out=tmp_path, store=tmp_path / "store")
    listed = manifest(tmp_path / "quickstart.runs")
    assert listed
    own, shared = Store(tmp_path / "quickstart.runs"), Store(tmp_path / "store")
    names = [run["name"] for run in listed["runs"]]
    own.drop(names[0])
    own.drop(names[3])
    with shared.held([names[3]]):
        found = {str(point): dict(counts) for _, point, counts in standings(tmp_path)}
    assert found == {
        "{'method': 'A-FADMM'}": {"missing": 1, "done": 1},
        "{'method': 'A-GD'}": {"done": 1, "running": 1},
    }


def test_a_folder_without_a_study(tmp_path):
    with pytest.raises(OtaflError, match="must be the --out folder of a study"):
        list(standings(tmp_path))
