"""Claims: the table has what kept results say, and pages are short."""

import math
from pathlib import Path

import pytest

from figures.gallery import claim_page, claim_table, claims, evaluation, kept

ROOT = Path(__file__).parents[2]
ROUNDING = 1e-12
KEPT = {name for archive in kept.archives() for name in kept.names(archive)}
BOOKS = {folder: claims.book(folder) for folder in claims.folders()}
TABLE = {row[:3]: row for row in claim_table.rows()}
CASES = {(folder, *case): claim for folder, book in BOOKS.items() for case, claim in book.claims.items()}


def all_kept(case):
    """Whether all results of a case are kept; others take a run, and belong to the slow tests."""
    studies = CASES[case].studies
    return bool(studies) and all(name in KEPT for name in studies)


def alike(one: str, other: str) -> bool:
    """Whether texts are equal, or numbers up to rounding."""
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


@pytest.mark.parametrize("folder", BOOKS)
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
