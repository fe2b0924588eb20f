"""Curves of a study: put in their places, taken up from an earlier result, made into a dataset."""

import numpy as np
import pytest

import otafl
from otafl.store.result import Result
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(otafl.load("quickstart", KEYS))


def test_nothing_is_done_at_first(study):
    curves = StudyCurves(study)
    data = curves.dataset()
    assert curves.missing == [0, 1, 2, 3]
    assert (data["outcome"] == "stopped").all()
    assert data["loss"].isnull().all()
    assert set(data.data_vars) == set(study.scenario.variables)


def test_every_run_is_put_in_its_place(study):
    curves = StudyCurves(study)
    values = {"loss": np.array([3.0, 2.0, 1.0]), "time_slots": np.array([1.0, 2.0, 3.0])}
    curves.put(2, Result(np.arange(1, 4), values, "completed", {}))
    data = curves.dataset()
    assert curves.missing == [0, 1, 3]
    np.testing.assert_array_equal(data["loss"].sel({"method": "A-GD", "seed": 0}), [3, 2, 1])
    assert data["loss"].notnull().sum() == 3


def test_coordinate_of_words_and_numbers_is_text():
    scenario = otafl.load("quickstart", KEYS | {"method": "A-FADMM", "uplink.subcarriers": [4, "one_slot"]})
    assert list(StudyCurves(Study(scenario)).dataset()["subcarriers"].values) == ["4", "one_slot"]
