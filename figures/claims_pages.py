"""Pages of the documentation with the claims of each paper beside the measured numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from figures import (
    claims_air,
    claims_cell,
    claims_channels,
    claims_fedvra,
    claims_gong,
    claims_gong_beyond,
    claims_networks,
    claims_regression,
    claims_song,
    claims_theorems,
    claims_wang,
)
from figures.claims import Claim, table
from figures.sections import EVERY
from figures.study import load

FOLDER = Path(__file__).parents[1] / "docs" / "claims"


class Tables(Protocol):
    """Module with the claims of a paper, or of one of its parts."""

    @property
    def HEADING(self) -> str: ...

    @property
    def REMARK(self) -> str: ...

    @property
    def rows(self) -> Callable[[], list[Claim]]: ...


class Page(NamedTuple):
    """Page of the documentation.

    Arguments:
        title: its title.
        tables: modules with its tables of claims.
        prefixes: beginnings of the names of its figures, whose notes it shows.
    """

    title: str
    tables: tuple[Tables, ...]
    prefixes: tuple[str, ...]


PAGES = {
    "a-fadmm": Page("A-FADMM", (claims_theorems, claims_regression, claims_networks), ("linreg", "mnist")),
    "gong": Page("Gong et al., FedADMM", (claims_gong, claims_gong_beyond), ("gong",)),
    "wang": Page("Wang et al., FedADMM and FedDR", (claims_wang,), ("wang",)),
    "fedvra": Page("Wang et al., FedVRA", (claims_fedvra,), ("fedvra",)),
    "song": Page("Song et al., FedADMM-InSa", (claims_song,), ("insa",)),
    "over-the-air": Page("Federated methods over the air", (claims_air,), ("air",)),
    "channels": Page("A-FADMM over other channels", (claims_channels,), ("channel",)),
    "cells": Page("A-FADMM in a cell", (claims_cell,), ("cell",)),
    "schemes": Page("Schemes of uplinks", (), ("scheme", "family", "fails")),
    "privacy": Page("Privacy", (), ("privacy",)),
}
"""Pages by the name of their file."""


BEYOND = "Beyond the paper", "Rows for which the paper has no claim, or a claim about another setting."
"""Heading and remark of the second table of a page."""


def write() -> None:
    """Write all pages of claims, docs/claims/NAME.md."""
    for name, page in PAGES.items():
        tables = "".join(table(part.HEADING, part.REMARK, part.rows()) for part in page.tables)
        text = f"# {page.title}\n" + tables + _beyond(page.tables) + _notes(page.prefixes)
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")


def _notes(prefixes: tuple[str, ...]) -> str:
    """Return the notes on figures, under the figures' titles, as Markdown."""
    studies = (load(name) for name in EVERY if name.split("_")[0] in prefixes)
    return "".join(f"\n## {study.title}\n\n{study.notes}\n" for study in studies if study.notes)


def _beyond(parts: tuple[Tables, ...]) -> str:
    """Return the table of rows that no claim of the paper stands behind, from modules that have some."""
    own = [row for part in parts for row in getattr(part, "ours", list)()]
    return table(*BEYOND, own) if own else ""


if __name__ == "__main__":
    write()
