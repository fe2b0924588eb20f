"""Curves of a study: put in their places, taken up from an earlier result, made into a dataset."""

import numpy as np
import pytest

import otafl
from otafl.study.curves import StudyCurves
from otafl.study.plan import Study, prepare

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


@pytest.fixture(scope="module")
def study() -> Study:
    return prepare(otafl.load("quickstart", KEYS))


def test_nothing_is_done_at_first(study):
    curves = StudyCurves(study)
    data = curves.dataset()
    assert not any(curves.complete(where) for _, where in study.groups)
    assert (data["outcome"] == "stopped").all()
    assert data["loss"].isnull().all()
    assert set(data.data_vars) == set(study.scenario.variables)


def test_an_earlier_result_is_taken_up_as_it_was(study):
    whole = otafl.run(study.scenario)
    curves = StudyCurves(study)
    curves.resume_from(whole)
    assert all(curves.complete(where) for _, where in study.groups)
    assert curves.dataset().equals(whole)


def test_an_earlier_result_may_lack_a_variable(study):
    """It may come from a version that did not have it."""
    curves = StudyCurves(study)
    curves.resume_from(otafl.run(study.scenario).drop_vars("uplink_elements"))
    assert np.isnan(curves.values["uplink_elements"]).all()
    assert np.isfinite(curves.values["loss"]).all()


def test_coordinate_of_words_and_numbers_is_text():
    scenario = otafl.load("quickstart", KEYS | {"method": "A-FADMM", "uplink.subcarriers": [4, "one_slot"]})
    assert list(StudyCurves(prepare(scenario)).dataset()["subcarriers"].values) == ["4", "one_slot"]
