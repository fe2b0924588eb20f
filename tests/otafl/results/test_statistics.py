"""Centres and spreads over seeds, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from otafl.results.statistics import SPREADS, least_seeds, over_seeds, quantile, words
from otafl.results.time_text import duration

WAITING = [26_960.0, 234.0, 228.0, 292.0, 260.0]
"""Slots of uploads that wait for the slowest of some Rayleigh workers, whose mean does not exist."""


def test_centres_and_spreads_of_few_numbers():
    found = over_seeds(np.array(WAITING), "median")
    assert (found.low, found.centre, found.high) == (234.0, 260.0, 292.0)
    found = over_seeds(np.array([1.0, 3.0]))
    assert found.high - found.centre == pytest.approx(np.sqrt(2.0))
    assert np.isnan(over_seeds(np.array([1.0])).low)
    assert over_seeds(np.array([1.0, 2.0, np.inf]), "median")[:3] == (2.0, 1.5, np.inf)
    assert over_seeds(np.array([1.0, np.inf, np.inf]), "median").centre == np.inf
    values = np.array(WAITING)
    found = over_seeds(values, "mean", "interval")
    known = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(known)


FINITE = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12).map(np.array)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(FINITE, SHARES)
def test_a_quantile_is_symmetric_and_that_of_numpy(values, share):
    assert quantile(values, share) == -quantile(-values, 1 - share)
    assert quantile(values, share) == pytest.approx(np.quantile(values, share), rel=1e-12, abs=1e-9)
    assert quantile(values[:, None], share).tolist() == [quantile(values, share)]


@given(FINITE, st.integers(0, 12), SHARES)
def test_what_is_not_reached_counts_as_the_limit_of_a_large_cost(values, missed, share):
    """The quantile is infinite exactly where it grows with the cost, and does not depend on it elsewhere."""
    found = quantile(np.append(values, np.full(missed, np.inf)), share)
    large = [quantile(np.append(values, np.full(missed, cost)), share) for cost in (1e8, 1e9)]
    assert found == (np.inf if large[0] != large[1] else large[0])


def test_a_value_that_is_none_leaves_no_quantile():
    found = quantile(np.array([[1.0, np.nan, -np.inf], [2.0, 1.0, np.inf], [3.0, np.inf, np.inf]]), 0.25)
    np.testing.assert_array_equal(found, [1.5, np.nan, np.inf])


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_intervals_hold_the_truth_as_often_as_they_say(statistic):
    rng = np.random.default_rng(0)
    found = over_seeds(rng.normal(0.0, 1.0, (10, 20_000)), statistic, "interval")
    inside = np.mean((found.low <= 0) & (found.high >= 0))
    assert 0.945 <= inside <= 0.985
    if statistic == "mean":
        assert inside == pytest.approx(0.95, abs=0.005)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.sampled_from(["mean", "median"]))
def test_the_centre_lies_within_its_spread(values, statistic):
    for spread in ("deviation", "quartiles", "interval"):
        found = over_seeds(np.array(values), statistic, spread)
        if spread != "quartiles" or statistic == "median":
            slack = 1e-9 * max(map(abs, values), default=1.0)
            assert not found.low > found.centre + slack
            assert not found.high < found.centre - slack


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("spread", SPREADS)
def test_a_spread_is_there_from_its_least_number_of_seeds_on(statistic, spread):
    for seeds in range(1, 9):
        found = over_seeds(np.arange(float(seeds)), statistic, spread)
        there = seeds >= least_seeds(statistic, spread)
        assert np.isfinite([found.low, found.high]).all() == there
        assert (SPREADS[spread][0] in words(statistic, spread, seeds)) == (there and seeds > 1) or spread == "none"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "0.0123 s"),
        (59.6, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (3600 * 1234.5, "1,234 h 30 min"),
    ],
)
def test_durations_are_rounded_before_they_are_split(seconds, text):
    assert duration(seconds) == text
