"""Titles say which methods run."""

import pytest

import otafl
from otafl.results import report

TITLE = "A-FADMM, D-FADMM and A-GD on embedded data, in seconds"


@pytest.mark.parametrize(
    ("overrides", "title"),
    [
        ({}, TITLE),
        ({"channel.snr_db": 3.0}, TITLE),
        ({"method": ["A-FADMM", "D-FADMM", "D-FADMM-10x", "A-GD"]}, TITLE),
        ({"method": "A-GD"}, "As quickstart, with A-GD"),
        ({"method": ("A-GD", "D-GD")}, "As quickstart, with A-GD and D-GD"),
        ({"method": ["A-GD", "D-GD", "D-FADMM"]}, "As quickstart, with A-GD, D-GD and D-FADMM"),
    ],
    ids=str,
)
def test_title_names_the_methods_that_an_override_sets(overrides, title):
    assert otafl.load("quickstart").override(overrides).title == title


def test_title_that_an_override_has_set_stays_with_other_overrides():
    changed = otafl.load("quickstart").override({"method": "A-GD"})
    assert changed.override({"channel.snr_db": 3.0}).title == changed.title
    assert changed.override({"method": "D-GD"}).title == "As quickstart, with D-GD"


@pytest.mark.parametrize("title", ["", "Loss against time slots", "D-GDs and my D-GD-like methods"])
def test_title_that_names_no_method_stays(tmp_path, title):
    path = tmp_path / "mine.toml"
    path.write_text(f'title = "{title}"\nmethod = "A-GD"')
    assert otafl.load(path).override({"method": "D-GD"}).title == title


def test_report_is_headed_by_the_methods_that_ran():
    data = otafl.run("quickstart", {"method": "D-GD", "run.iterations": 2, "run.seeds": 1})
    assert data.attrs["title"] == "As quickstart, with D-GD"
    assert "<h1>As quickstart, with D-GD</h1>" in report.page(data)
