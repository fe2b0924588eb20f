"""Plans of studies: which runs go together, and what a listener is told that they are."""

import pytest

import otafl
from otafl.study.plan import Study, prepare

KEYS = {"method": ["A-FADMM", "D-FADMM"], "channel.snr_db": [10.0, 20.0], "run.seeds": 2, "federation.workers": 4}


@pytest.fixture(scope="module")
def study() -> Study:
    return prepare(otafl.load("quickstart", KEYS))


def test_every_run_has_one_place(study):
    """Points in order, the last swept key fastest, and all seeds of a point side by side."""
    places = [place for _, where in study.groups for place in where]
    assert sorted(places) == list(range(8))
    for group, where in study.groups:
        for column, place in zip(group.columns, where, strict=True):
            assert column.settings == study.points[place // 2][1]
            assert column.seed == place % 2


def test_runs_that_differ_in_numbers_go_together(study):
    assert [len(where) for _, where in study.groups] == [4, 4]


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
