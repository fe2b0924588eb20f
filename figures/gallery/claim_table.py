"""Table of all claims, figures/claims.csv: a line for each case, with its verdict and numbers."""

import csv
from typing import NamedTuple

from figures.gallery.claims import FIGURES

TABLE = FIGURES / "claims.csv"


class Row(NamedTuple):
    """Line of the table: a case of a claim, with its numbers as text.

    Arguments:
        folder: folder of the claim.
        claim: its name.
        case: the case; empty if there is one only.
        verdict: "holds", "fails", "undecided" or "not run".
        own: mean over seeds, geometric for a ratio; ">" before what it is at least.
        against: name of the rival that decides, if it has one.
        rival: its mean.
        difference: own minus rival, or own over rival.
        low: lower end of its interval of 95%; empty for single runs.
        high: upper end of it.
        seeds: number of seeds.
    """

    folder: str
    claim: str
    case: str
    verdict: str
    own: str = ""
    against: str = ""
    rival: str = ""
    difference: str = ""
    low: str = ""
    high: str = ""
    seeds: str = ""


def rows() -> list[Row]:
    """Return all lines of the table; none if there is no table."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as text:
        return [Row(**line) for line in csv.DictReader(text)]


def write(evaluated: list[Row]) -> None:
    """Write rows into the table, in place of those of their folders.

    Arguments:
        evaluated: all rows of some folders.
    """
    others = [row for row in rows() if row.folder not in {new.folder for new in evaluated}]
    ordered = sorted([*others, *evaluated], key=lambda row: row.folder)
    with TABLE.open("w", encoding="utf-8", newline="") as text:
        out = csv.writer(text, lineterminator="\n")
        out.writerow(Row._fields)
        out.writerows(ordered)
