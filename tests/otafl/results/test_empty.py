"""Selections of a result that leave nothing: one line, from whatever reads or draws them."""

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.results import figure_files, report, summary
from otafl.results.table import table

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
