"""Claims on a folder's page: the answer in a few lines, and a line for each case. Numbers are those of the table."""

import math
import re
import textwrap
from collections.abc import Iterator

from figures.gallery import claim_table, claims
from figures.gallery.claim_table import Row
from figures.gallery.claims import Book, Claim
from figures.gallery.verdicts import FAILS, HOLDS, NOT_RUN, UNDECIDED

SYMBOLS = {HOLDS: "✓", FAILS: "✗", UNDECIDED: "~", NOT_RUN: "–"}
HEAD = "| says | paper | here | seeds | setting | |\n|---|---|---|---|---|---|\n"
LEGEND = (
    "✓ holds, ✗ fails, ~ undecided, – not run. Paper and here: own number; the rival's, or the paper's. In brackets is "
    "their difference or ratio with its interval of 95%. A > marks what is not reached in the whole run, inf what "
    "diverged, M a million. Numbers are means over seeds, geometric ones of costs and what is compared by a ratio.\n"
)
WIDTH, MILLION = 120, 1e6
PLACE = re.compile(r"\{([^{}]+)\.([a-z]+)(?::([^{}]*))?\}")
"""Place of a number in an answer: claim and case, field, format."""


def answer(folder: str) -> str:
    """Return the answer of a folder's claims, with its numbers.

    Arguments:
        folder: name of the folder.
    """
    rows = {f"{row.claim}, {row.case}".removesuffix(", "): row for row in _rows(folder)}

    def number(place: re.Match[str]) -> str:
        return _short(getattr(rows[place[1]], place[2]), place[3] or ".3g")

    paragraphs = PLACE.sub(number, claims.book(folder).answer).split("\n\n")
    return "\n\n".join(textwrap.fill(paragraph, WIDTH) for paragraph in paragraphs) + "\n"


def section(folder: str) -> str:
    """Return the table of a folder's claims, as Markdown.

    Arguments:
        folder: name of the folder.
    """
    rows = (" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in lines(folder))
    return f"## Claims\n\n{LEGEND}\n{HEAD}" + "".join(f"| {row} |\n" for row in rows)


def lines(folder: str) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line of a folder's table.

    Arguments:
        folder: name of the folder.
    """
    book, before = claims.book(folder), ""
    for row in _rows(folder):
        claim = book.claims[row.claim, row.case]
        says = f"… {row.case}" if row.claim == before else f"{claim.says}: {row.case}".removesuffix(": ")
        paper = f"{claim.where}: {claim.paper}".removesuffix(": ")
        setting = claim.setting or ("" if claim.not_run else "same")
        yield says, paper, _here(claim, row, book), row.seeds, setting, SYMBOLS[row.verdict]
        before = row.claim


def _rows(folder: str) -> list[Row]:
    return [row for row in claim_table.rows() if row.folder == folder]


def _here(claim: Claim, row: Row, book: Book) -> str:
    """Return what was measured, or why it was not, as text."""
    if claim.not_run:
        return claim.not_run
    if claim.test:
        return f"`{claim.test.split('::')[-1]}`"
    rival = " ".join(filter(None, (row.against, _short(row.rival))))
    known = claim.rivals and row.difference
    return f"{_short(row.own)}; {rival}{_difference(row, book.metric(claim).is_ratio) if known else ''}"


def _difference(row: Row, is_ratio: bool) -> str:
    """Return the difference, or the ratio, with its interval in brackets."""
    ends = f", {_short(row.low, '.2g')} to {_short(row.high, '.2g')}" if row.low else ""
    return f" ({'×' if is_ratio else '+' * (row.difference[0] != '-')}{_short(row.difference)}{ends})"


def _short(text: str, form: str = ".3g") -> str:
    """Return a number of the table with fewer digits; text that is no number as it is."""
    bare = text.lstrip(">")
    try:
        value = float(bare)
    except ValueError:
        return text
    sign, general = text[: len(text) - len(bare)], form[-1] == "g"
    if general and MILLION <= abs(value) < math.inf:
        return f"{sign}{value / MILLION:.3g}M"
    return sign + format(value, ",.0f" if general and abs(value) >= 100 else form)
