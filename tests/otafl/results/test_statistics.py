"""Centres and spreads over seeds, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from otafl.results.statistics import over_seeds

WAITING = [26_960.0, 234.0, 228.0, 292.0, 260.0]
"""Slots of uploads that wait for the slowest of some Rayleigh workers, whose mean does not exist."""


def test_a_median_is_not_moved_by_one_seed_that_waits_for_a_fade():
    found = over_seeds(np.array(WAITING), "median")
    assert (found.low, found.centre, found.high) == (234.0, 260.0, 292.0)


def test_the_deviation_is_that_of_a_sample():
    found = over_seeds(np.array([1.0, 3.0]))
    assert found.high - found.centre == pytest.approx(np.sqrt(2.0))
    assert np.isnan(over_seeds(np.array([1.0])).low)


def test_what_half_of_the_runs_reach_has_a_median():
    assert over_seeds(np.array([1.0, 2.0, np.inf]), "median")[:3] == (2.0, 1.0, np.inf)
    assert over_seeds(np.array([1.0, np.inf, np.inf]), "median").centre == np.inf


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_intervals_hold_the_truth_as_often_as_they_say(statistic):
    rng = np.random.default_rng(0)
    found = over_seeds(rng.normal(0.0, 1.0, (10, 20_000)), statistic, "interval")
    inside = np.mean((found.low <= 0) & (found.high >= 0))
    assert 0.945 <= inside <= 0.985
    if statistic == "mean":
        assert inside == pytest.approx(0.95, abs=0.005)


def test_five_runs_are_too_few_for_an_interval_of_a_median():
    assert np.isnan(over_seeds(np.arange(5.0), "median", "interval").low)
    assert over_seeds(np.arange(6.0), "median", "interval").low == 0.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.sampled_from(["mean", "median"]))
def test_the_centre_lies_within_its_spread(values, statistic):
    for spread in ("deviation", "quartiles", "interval"):
        found = over_seeds(np.array(values), statistic, spread)
        if spread != "quartiles" or statistic == "median":
            slack = 1e-9 * max(map(abs, values), default=1.0)
            assert not found.low > found.centre + slack
            assert not found.high < found.centre - slack


def test_the_interval_of_a_mean_is_students():
    values = np.array(WAITING)
    found = over_seeds(values, "mean", "interval")
    known = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(known)
