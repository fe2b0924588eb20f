"""What is swept, and in which order."""

import math

import pytest

from otafl.scenario import sweeps
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import parse
from tests.otafl.scenario.refusal import refused

TWO_METHODS = "[sweep]\nmethod = ['A-FADMM', 'D-FADMM']"


@pytest.mark.parametrize("values", [[20, 30], (20, 30)])
def test_overriding_with_several_values_sweeps(values):
    swept = parse("t", "", {"channel.snr_db": values})
    assert swept.sweep == {"channel.snr_db": [20, 30]}
    assert [settings.channel.snr_db for _, settings in swept.points()] == [20, 30]


def test_overriding_a_swept_key_fixes_it_or_replaces_its_values():
    fixed = parse("t", TWO_METHODS).override({"method": "A-GD"})
    assert (fixed.sweep, fixed.settings.method) == ({}, "A-GD")
    assert [point for point, _ in fixed.points()] == [{}]
    assert parse("t", TWO_METHODS, {"method": ["D-GD", "A-GD"]}).sweep == {"method": ["D-GD", "A-GD"]}


def test_lists_in_base_tables_sweep_with_the_last_key_fastest():
    in_table = parse("t", "[channel]\nsnr_db = [10.0, inf]")
    assert in_table.sweep == {"channel.snr_db": [10.0, math.inf]}
    assert in_table == parse("t", '[sweep]\n"channel.snr_db" = [10.0, inf]')
    assert in_table == parse("t", "[sweep.channel]\nsnr_db = [10.0, inf]")
    swept = parse("t", TWO_METHODS, {"federation.workers": [5, 7, 9]})
    points = [(settings.method, settings.federation.workers) for _, settings in swept.points()]
    assert points == [(method, workers) for method in ("A-FADMM", "D-FADMM") for workers in (5, 7, 9)]


@pytest.mark.parametrize(
    ("key", "values", "bad"),
    [("uplink.subcarriers", ["one_slot", 10, 0], "0"), ("method", ["A-FADMM", "B-FADMM"], "'B-FADMM'")],
)
def test_bad_value_among_swept_ones_is_refused(key, values, bad):
    assert refused({key: values}).startswith(f"{key} = {bad}: ")


def test_no_two_keys_that_can_be_swept_end_alike():
    swept = [key.split(".")[-1] for key in fields() if key not in sweeps.NOT_SWEPT]
    assert all(swept.count(name) == 1 for name in swept)
