"""Titles say which methods run."""

import pytest

import otafl

TITLE = "A-FADMM, D-FADMM and A-GD on embedded data, in seconds"


@pytest.mark.parametrize(
    ("overrides", "title"),
    [
        ({"channel.snr_db": 3.0}, TITLE),
        ({"method": ["A-FADMM", "D-FADMM", "D-FADMM-10x", "A-GD"]}, TITLE),
        ({"method": "A-GD"}, "As quickstart, with A-GD"),
        ({"method": ("A-GD", "D-GD")}, "As quickstart, with A-GD and D-GD"),
        ({"method": ["A-GD", "D-GD", "D-FADMM"]}, "As quickstart, with A-GD, D-GD and D-FADMM"),
    ],
    ids=str,
)
def test_title_names_the_methods_that_an_override_sets(overrides, title):
    changed = otafl.load("quickstart").override(overrides)
    assert changed.title == title
    assert changed.override({"channel.snr_db": 3.0}).title == title
    assert changed.override({"method": "D-GD"}).title == "As quickstart, with D-GD"


@pytest.mark.parametrize("title", ["", "D-GDs and my D-GD-like methods"])
def test_title_that_names_no_method_stays(tmp_path, title):
    path = tmp_path / "mine.toml"
    path.write_text(f'title = "{title}"\nmethod = "A-GD"')
    assert otafl.load(path).override({"method": "D-GD"}).title == title
