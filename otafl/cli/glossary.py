"""Words of the field: what they mean here, and the names that they have in scenarios, results and code."""

import csv
import re
from pathlib import Path
from typing import NamedTuple


class Term(NamedTuple):
    """Row of ``glossary.csv``: synonyms have commas between them, names in scenarios, results and code backticks."""

    group: str
    term: str
    synonyms: str
    meaning: str
    symbol: str
    unit: str
    names: str

    @property
    def words(self) -> tuple[str, ...]:
        """Words that find the term: itself and its synonyms, with and without an abbreviation in brackets."""
        known = [self.term, *filter(None, self.synonyms.split(", "))]
        return tuple(dict.fromkeys(part for word in known for part in (word, *re.split(r" \(|\)", word)) if part))

    @property
    def named(self) -> tuple[str, ...]:
        return tuple(re.findall("`([^`]+)`", self.names))


def terms() -> list[Term]:
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return [Term(**row) for row in csv.DictReader(file)]
