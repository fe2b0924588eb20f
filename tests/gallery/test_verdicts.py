"""Verdicts on comparisons, of runs some of which may not get there, and claims: what kept results say."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from figures.gallery import claim_page, claim_table, claims, evaluation, kept, verdicts
from figures.gallery.verdicts import COMPARISONS, FAILS, HOLDS, UNDECIDED, Sample

INF = math.inf


def sample(*values, whole=20.0):
    """Return numbers of seeds; a target that is not reached costs more than a whole run."""
    numbers = np.array(values, float)
    return Sample(numbers, np.where(np.isinf(numbers), whole, numbers), tuple(range(len(values))))


def judged(name, own, rival, margin=0.0, paired=False):
    return COMPARISONS[name](verdicts.gap(own, rival, margin, paired), margin)


@pytest.mark.parametrize(
    ("own", "rival", "said"),
    [
        ((1, 2, 3), (11, 12, 13), HOLDS),
        ((11, 12, 13), (1, 2, 3), FAILS),
        ((1, 2, 3), (2, 3, 4), UNDECIDED),
        ((1, 2, 3), (INF, INF, INF), HOLDS),
        ((INF, INF, INF), (INF, INF, INF), UNDECIDED),
        ((1, 2, INF), (11, 12, 13), UNDECIDED),
        ((19, 19.5, INF), (1, 2, 3), FAILS),
        ((9, 10, 11), (19, 19, INF), HOLDS),
        ((INF, INF, INF), (11, 12, 99), UNDECIDED),
        ((1,), (2,), HOLDS),
    ],
)
def test_below(own, rival, said):
    assert judged("below", sample(*own), sample(*rival)) == said
    if INF not in own + rival:
        assert judged("above", sample(*rival), sample(*own)) == said


def test_means_are_told_apart_by_welchs_test():
    rng = np.random.default_rng(0)
    for _ in range(50):
        own, rival = rng.normal(0.0, 1.0, 3), rng.normal(1.5, 0.5, 4)
        _, chance = stats.ttest_ind(own, rival, equal_var=False)
        level = judged("below", sample(*own), sample(*rival)) == UNDECIDED
        assert level == (float(np.asarray(chance)) > 0.05)


def test_paired_seeds_have_students_interval_and_small_differences_do_not_count():
    own, rival = sample(1, 12, 103), sample(2, 13.2, 104)
    found = verdicts.gap(own, rival, 0.0, True)
    low, high = stats.t.interval(0.95, 2, found.centre, stats.sem(own.values - rival.values))
    np.testing.assert_allclose(found[1:], [low, high])
    assert judged("below", own, rival, paired=True) == HOLDS
    assert judged("below", own, rival) == UNDECIDED
    assert judged("below", sample(1.0, 1.01), sample(1.05, 1.06), 0.1) == UNDECIDED
    assert judged("below", sample(291), sample(INF, whole=300), 30) == UNDECIDED
    assert judged("below", sample(185), sample(INF, whole=300), 30) == HOLDS


@pytest.mark.parametrize(
    ("own", "rival", "said"),
    [
        ((0.90, 0.91), (0.905, 0.905), {"near": HOLDS, "not above": HOLDS, "not below": HOLDS}),
        ((0.50, 0.51), (0.9, 0.9), {"near": FAILS, "not above": HOLDS, "not below": FAILS}),
        ((0.5, 0.9), (0.8, 0.95), {"near": UNDECIDED, "not above": HOLDS, "not below": UNDECIDED}),
        ((-INF,), (0.9,), {"near": FAILS, "not above": HOLDS, "not below": FAILS}),
    ],
)
def test_near_is_not_the_easier_the_noisier(own, rival, said):
    lowest = sample(*own)._replace(least=np.array(own, float))
    assert {name: judged(name, lowest, sample(*rival), 0.01) for name in said} == said


@pytest.mark.parametrize(
    ("levels", "said"), [((30, 20, 10), HOLDS), ((30, 10, 20), FAILS), ((30, 20, 20.5), UNDECIDED)]
)
def test_a_trend_is_judged_step_by_step(levels, said):
    samples = [sample(level - 1, level, level + 1) for level in levels]
    assert verdicts.trend(samples, "falls", 0.0, False) == said


def test_the_exponent_of_a_power_law():
    keys = np.array([5.0, 10.0, 20.0])
    values = np.stack([3 * keys**2, 7 * keys**0.5], axis=1)
    np.testing.assert_allclose(verdicts.power(keys, values), [2.0, 0.5])


ROOT = Path(__file__).parents[2]
ROUNDING = 1e-12
KEPT = {name for archive in kept.archives() for name in kept.names(archive)}
BOOKS = {folder: claims.book(folder) for folder in claims.folders()}
TABLE = {row[:3]: row for row in claim_table.rows()}
CASES = {(folder, *case): claim for folder, book in BOOKS.items() for case, claim in book.claims.items()}


def all_kept(case):
    """Return True if all results of a case are kept; a case that needs runs belongs to the slow tests."""
    studies = CASES[case].studies
    return bool(studies) and all(name in KEPT for name in studies)


def alike(one: str, other: str) -> bool:
    """Return True if two texts are equal, or are the same number up to rounding."""
    bare = [text.lstrip(">") for text in (one, other)]
    try:
        numbers = [float(text) for text in bare]
    except ValueError:
        return one == other
    return one[:1] == other[:1] and math.isclose(*numbers, rel_tol=1e-3, abs_tol=ROUNDING)


def test_the_table_has_each_case_once_in_order():
    assert list(TABLE) == list(CASES)


def same(case):
    row = evaluation.evaluate(BOOKS[case[0]], *case[1:])
    assert all(map(alike, row, TABLE[case])), f"{row} is not {TABLE[case]}"


@pytest.mark.daily(2)
@pytest.mark.parametrize("folder", sorted(BOOKS, reverse=True))
def test_the_table_is_what_kept_results_say(folder):
    for case in CASES:
        if case[0] == folder and (all_kept(case) or not CASES[case].read):
            same(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if CASES[case].read and not all_kept(case)], ids=", ".join)
def test_the_table_is_what_is_computed(case):
    same(case)


@pytest.mark.parametrize("claim", [claim for claim in CASES.values() if claim.test], ids=lambda claim: claim.test)
def test_an_executed_test_is_there(claim):
    path, name = claim.test.split("::")
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", BOOKS)
def test_pages_are_short(folder):
    cells = [cell for line in claim_page.lines(folder) for cell in line]
    assert [cell for cell in cells if len(cell) > 60] == []
    answer = claim_page.answer(folder).splitlines()
    assert len(answer) <= 10
    assert [line for line in answer if len(line) > 120] == []


@pytest.mark.parametrize("folder", BOOKS)
def test_a_page_has_the_answer_and_the_numbers_of_the_table(folder):
    text = (ROOT / "figures" / folder / "README.md").read_text(encoding="utf-8")
    assert claim_page.answer(folder) in text
    assert claim_page.section(folder) in text
