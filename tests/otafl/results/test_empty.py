"""Selections of a result that leave nothing: one line, from whatever reads or draws them."""

import matplotlib as mpl
import pytest

mpl.use("Agg")

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


@pytest.fixture(scope="module")
def result():
    keys = {"run.iterations": 2, "run.seeds": 2, "method": ["A-GD", "D-GD"], "channel.snr_db": [10.0, 20.0]}
    return otafl.run("quickstart", keys)


@pytest.mark.parametrize("read", READING.values(), ids=READING)
@pytest.mark.parametrize("dimension", ["scheme", "snr_db", "seed", "iteration"])
def test_nothing_selected(result, read, dimension):
    with pytest.raises(OtaflError, match=f"result = 'quickstart': must have values, but has no {dimension}"):
        read(result.isel({dimension: slice(0)}))


@pytest.mark.parametrize("read", [READING["summary"], READING["report"]], ids=["summary", "report"])
@pytest.mark.parametrize("dimension", ["seed", "iteration"])
def test_one_selected(result, read, dimension):
    with pytest.raises(OtaflError, match=f"result = '{dimension}': must be a dimension of the result"):
        read(result.isel({dimension: 0}))
    read(result.isel({dimension: [0]}))


@pytest.mark.parametrize("read", READING.values(), ids=READING)
def test_no_result(result, read):
    for wrong in (result.drop_attrs(), 3):
        with pytest.raises(OtaflError, match=r"^result = "):
            read(wrong)


def test_an_empty_frame_is_tidy(result):
    assert otafl.tidy(result.isel(seed=slice(0))).empty
