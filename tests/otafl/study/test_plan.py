"""Plans of studies: which runs go together, what a listener is told that they are, and where their curves are put."""

import numpy as np
import pytest

import otafl
from otafl.store.result import Result
from otafl.study.forecast import forecast
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves

KEYS = {"method": ["A-FADMM", "D-FADMM"], "channel.snr_db": [10.0, 20.0], "run.seeds": 2, "federation.workers": 4}
KEYS |= {"run.iterations": 3}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(otafl.load("quickstart", KEYS))


def test_every_run_has_one_place(study):
    """Points in order, the last swept key fastest, and all seeds of a point side by side."""
    for place, column in enumerate(study.columns):
        assert column.settings == study.points[place // 2][1]
        assert column.seed == place % 2
    assert len(set(study.names)) == 8


def test_runs_that_differ_in_numbers_go_together(study):
    assert study.together(list(range(8))) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert study.together([5, 1, 2]) == [[5], [1, 2]]


def test_runs_of_each_kind_are_set_up_beforehand(study):
    assert study.setups([[0, 1, 2, 3], [4, 5, 6, 7], [2, 3]]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert study.setups([[0, 1], [2, 3], [4, 5]], by_snr=True) == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("places", "label"),
    [
        ([0, 1, 2, 3], "A-FADMM"),
        ([0, 1], "A-FADMM, snr_db 10.0"),
        ([4, 6], "D-FADMM, seed 0"),
        ([7], "D-FADMM, snr_db 20.0, seed 1"),
    ],
)
def test_label_says_what_runs_have_in_common(study, places, label):
    assert study.label(places) == label


def test_a_study_whose_runs_are_there_takes_nothing(study):
    found = forecast(study, [])
    assert (found.kinds, found.memory) == ([], 0)


def test_curves_are_missing_until_every_run_is_put_in_its_place(study):
    curves = StudyCurves(study)
    data = curves.dataset()
    assert curves.missing == [*range(8)]
    assert (data["outcome"] == "stopped").all()
    assert data["loss"].isnull().all()
    assert set(data.data_vars) == set(study.scenario.variables)
    values = {"loss": np.array([3.0, 2.0, 1.0]), "time_slots": np.array([1.0, 2.0, 3.0])}
    curves.put(2, Result(np.arange(1, 4), values, "completed", {}))
    data = curves.dataset()
    assert curves.missing == [0, 1, *range(3, 8)]
    np.testing.assert_array_equal(data["loss"].sel({"method": "A-FADMM", "snr_db": 20.0, "seed": 0}), [3, 2, 1])
    assert data["loss"].notnull().sum() == 3


def test_coordinate_of_words_and_numbers_is_text():
    scenario = otafl.load("quickstart", KEYS | {"method": "D-FADMM", "uplink.subcarriers": [4, "one_slot"]})
    assert list(StudyCurves(Study(scenario)).dataset()["subcarriers"].values) == ["4", "one_slot"]


TRAINED = {"problem.model": ["cnn", "mlp"], "method": "FedAvg", "federation.workers": 2, "run.seeds": 1}


def test_convolutions_have_one_thread_and_other_networks_two():
    study = Study(otafl.load("digits_quickstart", TRAINED | {"problem.model": ["cnn", "mlp", "mine:net"]}))
    assert [column.threads for column in study.columns] == [1, 2, 1]
    assert Study(otafl.load("quickstart")).threads([[0]]) == []
    chosen = Study(otafl.load("digits_quickstart", TRAINED | {"run.threads": 7}))
    assert chosen.threads([[0], [1]]) == [7]
    assert not set(chosen.names) & set(Study(otafl.load("digits_quickstart", TRAINED)).names)
