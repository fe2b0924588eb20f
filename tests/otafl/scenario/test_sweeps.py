"""What is swept, and in which order."""

import math

import pytest

from otafl.scenario import sweeps
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import parse
from tests.otafl.scenario.refusal import refused

INF = math.inf
NAN = math.nan
TWO_METHODS = "[sweep]\nmethod = ['A-FADMM', 'D-FADMM']"


@pytest.mark.parametrize("values", [[20, 30], (20, 30)])
def test_overriding_with_several_values_sweeps(values):
    swept = parse("t", "", {"channel.snr_db": values})
    assert swept.sweep == {"channel.snr_db": [20, 30]}
    assert [settings.channel.snr_db for _, settings in swept.points()] == [20, 30]


def test_overriding_a_swept_key_with_one_value_fixes_it():
    fixed = parse("t", TWO_METHODS).override({"method": "A-GD"})
    assert fixed.sweep == {}
    assert fixed.settings.method == "A-GD"
    assert [point for point, _ in fixed.points()] == [{}]


def test_overriding_a_swept_key_with_a_list_replaces_its_values():
    assert parse("t", TWO_METHODS, {"method": ["D-GD", "A-GD"]}).sweep == {"method": ["D-GD", "A-GD"]}


def test_list_in_a_base_table_sweeps():
    in_table = parse("t", "[channel]\nsnr_db = [10.0, inf]")
    assert in_table.sweep == {"channel.snr_db": [10.0, INF]}
    assert in_table == parse("t", '[sweep]\n"channel.snr_db" = [10.0, inf]')
    assert in_table == parse("t", "[sweep.channel]\nsnr_db = [10.0, inf]")


def test_points_are_the_product_with_the_last_key_fastest():
    swept = parse("t", TWO_METHODS, {"federation.workers": [5, 7, 9]})
    points = [(settings.method, settings.federation.workers) for _, settings in swept.points()]
    assert points == [(method, workers) for method in ("A-FADMM", "D-FADMM") for workers in (5, 7, 9)]


@pytest.mark.parametrize(
    ("key", "values", "bad"),
    [
        ("channel.snr_db", [20, "loud"], "'loud'"),
        ("uplink.subcarriers", ["one_slot", 10, 0], "0"),
        ("federation.workers", [10, -1, 20], "-1"),
        ("algorithm.rho", [0.5, NAN], "nan"),
        ("method", ["A-FADMM", "B-FADMM"], "'B-FADMM'"),
    ],
)
def test_bad_value_among_swept_ones_is_refused(key, values, bad):
    assert refused({key: values}).startswith(f"{key} = {bad}: ")


def test_same_number_written_twice_is_refused():
    assert "twice" in refused({"channel.snr_db": [20, 20.0]})


def test_no_two_keys_that_can_be_swept_end_alike():
    """A swept key's last part names a dimension of the result."""
    swept = [key.split(".")[-1] for key in fields() if key not in sweeps.NOT_SWEPT]
    assert all(swept.count(name) == 1 for name in swept)
