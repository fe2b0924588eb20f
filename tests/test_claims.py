"""Verdicts on claims: what may be said of a few runs, some of which may not get there."""

import numpy as np
import pytest
from scipy import stats

from figures.claims import NO, YES, by_reading, highest, least, lowest, near, spread

NEVER = np.full(3, np.inf)


def runs(*values):
    return np.array(values, float)


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (runs(1, 2, 3), runs(11, 12, 13), YES),
        (runs(11, 12, 13), runs(1, 2, 3), NO),
        (runs(1, 2, 3), runs(2, 3, 4), "undecided: level"),
        (runs(1, 2, 3), NEVER, YES),
        (NEVER, runs(1, 2, 3), NO),
        (NEVER, NEVER, "undecided"),
        (runs(1, 2, np.inf), runs(11, 12, 13), "undecided: not reached by all seeds"),
        (runs(39, 40, 41), runs(20, 21, np.inf), "undecided: level"),
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


def test_near_is_not_the_easier_the_noisier():
    assert near(runs(0.90, 0.91), runs(0.905, 0.905), 0.01) == YES
    assert near(runs(0.5, 0.51), runs(0.9, 0.9), 0.01) == NO
    assert near(runs(0.5, 0.9), runs(0.8, 0.95), 0.01).startswith("undecided")


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
