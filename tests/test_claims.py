"""Verdicts on claims: what may be said of a few runs, some of which may not get there."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from figures.claims import (
    NO,
    YES,
    Claim,
    Decades,
    by_reading,
    grid,
    half_interval,
    highest,
    least,
    lowest,
    near,
    slowest,
    spread,
    table,
    times,
    turns,
)
from figures.claims_networks import rises
from figures.claims_regression import nowhere_worse

NEVER = np.full(3, np.inf)


def runs(*values):
    return np.array(values, float)


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (runs(1, 2, 3), runs(11, 12, 13), YES),
        (runs(11, 12, 13), runs(1, 2, 3), NO),
        (runs(1, 2, 3), runs(2, 3, 4), "undecided: not told apart"),
        (runs(1, 2, 3), NEVER, YES),
        (NEVER, runs(1, 2, 3), NO),
        (NEVER, NEVER, "undecided"),
        (runs(1, 2, np.inf), runs(11, 12, 13), "undecided: not reached by all seeds"),
        (runs(39, 40, 41), runs(20, 21, np.inf), "undecided: not told apart"),
        (runs(9, 10, 11), runs(20, 21, np.inf), YES),
        (runs(1), runs(2), YES),
    ],
)
def test_lowest(own, other, said):
    assert lowest(own, {"B": other}).startswith(said)


def test_highest_is_lowest_of_the_opposite():
    assert highest(runs(3, 4), {"B": runs(-9, -8), "C": runs(-19, -18)}) == YES
    assert highest(runs(3, 4), {"B": runs(9, 8)}) == NO


def test_means_are_told_apart_by_welchs_test():
    """Level exactly where the p value is above 5%."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, other = rng.normal(0.0, 1.0, 3), rng.normal(1.5, 0.5, 4)
        _, chance = stats.ttest_ind(one, other, equal_var=False)
        alike = float(np.asarray(chance)) > 0.05
        assert lowest(one, {"B": other}).startswith("undecided") == alike


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (runs(11, 12, 13), runs(1, 2, 3), YES),
        (runs(1, 2, 3), runs(11, 12, 13), NO),
        (runs(1, 2, 3), NEVER, NO),
        (NEVER, runs(1, 2, 3), YES),
        (NEVER, NEVER, "undecided: not told apart from B"),
        (runs(1, 2, 3), runs(2, 3, 4), "undecided: not told apart from B"),
    ],
)
def test_slowest(own, other, said):
    assert slowest(own, {"B": other}) == said


def test_numbers_turn_where_neighbours_are_told_apart():
    few, some, many = runs(1, 2, 3), runs(11, 12, 13), runs(21, 22, 23)
    assert turns({"1": few, "2": some, "3": many}) == NO
    assert turns({"1": many, "2": few, "3": some}) == YES
    assert turns({"1": some, "2": NEVER, "3": few}) == YES
    assert turns({"1": few, "2": few + 1, "3": many}) == "undecided: not told apart: 1 and 2"


def test_near_is_not_the_easier_the_noisier():
    assert near(runs(0.90, 0.91), runs(0.905, 0.905), 0.01) == YES
    assert near(runs(0.5, 0.51), runs(0.9, 0.9), 0.01) == NO
    assert near(runs(0.5, 0.9), runs(0.8, 0.95), 0.01).startswith("undecided")


def test_a_ratio_is_as_large_where_its_interval_is():
    assert times(runs(14, 15, 16), 10) == YES
    assert times(runs(5, 6, 7), 10) == NO
    assert times(runs(8, 10, 13), 10) == "undecided: 10 is within the interval"
    assert times(runs(0, 12, 13), 10) == NO


def test_a_claim_in_parts_holds_where_all_parts_do():
    assert least([YES, "undecided: x", YES]) == "undecided: x"
    assert least([YES, "undecided: x", NO]) == NO
    assert least([YES, YES]) == YES


def test_readings():
    assert by_reading(one=True, other=True) == YES
    assert by_reading(one_symbol=True, printed=False) == "depends on the reading: one symbol: yes, printed: no"


def test_spreads_are_of_samples_and_say_what_is_not_held():
    assert spread(runs(10, 20, 30)) == "20 ± 10"
    assert spread(runs(12)) == "12"
    assert spread(NEVER) == "not held"
    assert spread(runs(1, np.inf)) == "not held by all seeds"
    assert spread(runs(0.5, 0.52, 0.54)) == "0.52 ± 0.02"
    assert spread(runs(0.01, 0.02, 0.03)) == "2.0e-02 ± 1e-02"


def losses(*decades):
    """Return losses of two schemes at -10, 20 and 30 dB, A's being 1, with the decades of B's over it by seed."""
    ones = np.ones((3, len(decades[0])))
    values = np.stack([ones, 10.0 ** np.array(decades)])
    return xr.DataArray(values, {"scheme": ["A", "B"], "snr_db": [-10.0, 20.0, 30.0]}, ("scheme", "snr_db", "seed"))


def test_decades_have_students_interval_of_paired_seeds():
    found = Decades.of(losses((1, 2, 3), (0, 0, 0), (4, 4, 4)), "B", "A")
    low, high = stats.t.interval(0.95, 2, 2.0, stats.sem([1, 2, 3]))
    np.testing.assert_allclose(found.mean, [2, 0, 4], atol=1e-12)
    np.testing.assert_allclose(found.error, [(high - low) / 2, 0, 0], atol=1e-12)
    assert found.least() == "2.0 ± 2.5 at -10 dB"
    assert found.words()["30 dB"] == "4.0 ± 0.0"
    assert found.below() == "no SNR"


@pytest.mark.parametrize(
    ("decades", "said"),
    [
        (((2.0, 2.1, 2.2), (2.0, 2.1, 2.2), (2.0, 2.1, 2.2)), YES),
        (((2.0, 2.1, 2.2), (0.1, 0.2, 0.3), (2.0, 2.1, 2.2)), NO),
        (((2.0, 2.1, 2.2), (0.0, 1.0, 2.0), (2.0, 2.1, 2.2)), "undecided: not told apart at 20 dB"),
        (((2.0, np.nan, 2.2), (2.0, 2.1, 2.2), (2.0, 2.1, 2.2)), "undecided: no upload with some seed at -10 dB"),
    ],
)
def test_decades_exceed_one_where_their_interval_does(decades, said):
    assert Decades.of(losses(*decades), "B", "A").exceeds(1.0) == said


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        ((1, 1, -1), YES),
        ((-1, 1, -1), NO),
        ((1, -1, -1), NO),
        ((1, 1, 1), NO),
        ((1, 1, 0), "undecided: not told apart at 30 dB"),
        ((0, 0, -1), YES),
    ],
)
def test_decades_turn_above_an_snr_alone(signs, said):
    decades = [(sign - 0.1, float(sign), sign + 0.1) for sign in signs]
    assert Decades.of(losses(*decades), "B", "A").turns(20.0) == said


@pytest.mark.parametrize(
    ("signs", "said"),
    [((1, 1, -1), YES), ((-1, 1, -1), NO), ((1, -1, -1), NO), ((1, 1, 1), NO), ((1, 1, 0), NO), ((0, 0, -1), YES)],
)
def test_a_scheme_that_is_nowhere_worse_is_better_somewhere(signs, said):
    decades = [(sign - 0.1, float(sign), sign + 0.1) for sign in signs]
    assert nowhere_worse(Decades.of(losses(*decades), "B", "A"), 20.0) == said


def test_nowhere_worse_allows_for_snrs_that_are_not_told_apart():
    level = Decades.of(losses((0.9, 1.0, 1.1), (-0.1, 0.0, 0.1), (-1.1, -1.0, -0.9)), "B", "A")
    assert nowhere_worse(level, 0.0) == YES
    assert level.turns(0.0) == "undecided: not told apart at 20 dB"


def test_half_an_interval_keeps_the_other_dimensions():
    values = xr.DataArray(np.arange(6.0).reshape(2, 3) ** 2, dims=("seed", "snr_db"))
    half = stats.t.ppf(0.975, 1) * stats.sem(values.values, axis=0)
    xr.testing.assert_allclose(half_interval(values), xr.DataArray(half, dims="snr_db"))


def test_a_row_with_many_numbers_has_them_in_a_table_below():
    found = grid("N", {"5": {"A": "1", "B": "2"}, "10": {"A": "3", "B": "4"}})
    assert found.splitlines() == ["| N | A | B |", "|---|---|---|", "| 5 | 1 | 2 |", "| 10 | 3 | 4 |"]
    text = table("Title", "remark", [Claim("V", "less", "see below", YES, detail=found), Claim("V", "more", "1", NO)])
    rows, below = text.split("\nV: less.\n\n")
    assert rows.endswith("computed with this page |\n")
    assert below == f"{found}\n"


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ((0.1, 0.3, 0.5), "yes"),
        ((0.5, 0.3, 0.1), "**no**"),
        ((0.5, 0.5, 0.1, 0.1), "undecided up to 1, no up to 2, then undecided"),
        ((0.1, 0.5, 0.3), "yes up to 1, then no"),
    ],
)
def test_a_later_step_of_a_trend_is_judged_as_the_first(means, said):
    assert rises({float(k): mean + np.array([-0.01, 0.0, 0.01]) for k, mean in enumerate(means)}) == said
