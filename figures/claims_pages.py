"""Pages of the documentation with the claims of each paper beside the measured numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from figures import (
    claims_networks,
    claims_regression,
    claims_theorems,
)
from figures.claims import Claim, table
from figures.sections import EVERY
from figures.study import load

FOLDER = Path("docs/claims")
"""Folder of the working folder in which pages are written: that of the project, if it runs there."""


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
        summary: what its tables say, in a few sentences, as Markdown.
    """

    title: str
    tables: tuple[Tables, ...]
    prefixes: tuple[str, ...]
    summary: str = ""


A_FADMM = """
In linear regression A-FADMM takes fewer time slots to a loss of 1e-4 than D-FADMM, and than A-GD at the paper's step.
With a step 50 times as large A-GD takes fewer still. D-FADMM takes fewer iterations, less energy at the best SNR of
each, and gets below A-FADMM's noise floor. On MNIST A-SFADMM takes the fewest slots to an accuracy of 0.90, and ends as
accurate as D-SFADMM.

*One symbol* counts a complex symbol in each channel use, analog or digital. *As printed* follows the paper's formulas,
with 15 symbols in a digital use and an element in an analog one. Then D-FADMM with ten times the subcarriers is level
with A-FADMM or ahead of it.
"""


PAGES = {
    "a-fadmm": Page("A-FADMM", (claims_theorems, claims_regression, claims_networks), ("linreg", "mnist"), A_FADMM),
    "schemes": Page("Schemes of uplinks", (), ("scheme", "family", "fails")),
    "privacy": Page("Privacy", (), ("privacy",)),
}
"""Pages by the name of their file."""


BEYOND = "Beyond the paper", "Rows for which the paper has no claim, or a claim about another setting."
"""Heading and remark of the second table of a page."""


def write() -> None:
    """Write all pages of claims, docs/claims/NAME.md."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        tables = "".join(table(part.HEADING, part.REMARK, part.rows()) for part in page.tables)
        text = f"# {page.title}\n" + page.summary + tables + _beyond(page.tables) + _notes(page.prefixes)
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
