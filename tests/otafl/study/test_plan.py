"""Plans of studies: which runs go together, and what a listener is told that they are."""

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.study.forecast import forecast
from otafl.study.plan import Study

KEYS = {"method": ["A-FADMM", "D-FADMM"], "channel.snr_db": [10.0, 20.0], "run.seeds": 2, "federation.workers": 4}


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


def test_every_channel_is_checked_before_anything_is_computed(tmp_path):
    """An upload that would not end is refused where it is the second of two, too."""
    keys = KEYS | {"channel.snr_db": [10.0, -190.0], "method": "D-SFADMM", "run.iterations": 1, "run.seeds": 1}
    with pytest.raises(OtaflError, match=r"channel\.snr_db = -190"):
        otafl.run("digits_quickstart", keys, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


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


def test_a_study_that_is_done_takes_nothing(study):
    assert forecast(study, []).kinds == []
