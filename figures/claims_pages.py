"""Pages of the documentation with the claims of each paper beside the measured numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from figures import (
    claims_air,
    claims_fedvra,
    claims_gong,
    claims_networks,
    claims_regression,
    claims_song,
    claims_wang,
)
from figures.claims import Claim, table

FOLDER = Path(__file__).parents[1] / "docs" / "claims"


class Tables(Protocol):
    """Module with the claims of a paper, or of one of its parts."""

    @property
    def HEADING(self) -> str: ...

    @property
    def REMARK(self) -> str: ...

    @property
    def rows(self) -> Callable[[], list[Claim]]: ...


PAGES: dict[str, tuple[str, tuple[Tables, ...]]] = {
    "a-fadmm": ("Claims of the A-FADMM paper", (claims_regression, claims_networks)),
    "gong": ("Claims of Gong et al., FedADMM", (claims_gong,)),
    "wang": ("Claims of Wang et al., FedADMM and FedDR", (claims_wang,)),
    "fedvra": ("Claims of Wang et al., FedVRA", (claims_fedvra,)),
    "song": ("Claims of Song et al., FedADMM-InSa", (claims_song,)),
    "over-the-air": ("Federated methods over the air", (claims_air,)),
}
"""Title of each page and the modules of its tables, by the name of its file."""


BEYOND = "Beyond the paper", "Rows for which the paper has no claim, or a claim about another setting."
"""Heading and remark of the second table of a page."""


def write() -> None:
    """Write all pages of claims, docs/claims/NAME.md."""
    for name, (title, parts) in PAGES.items():
        text = f"# {title}\n" + "".join(table(part.HEADING, part.REMARK, part.rows()) for part in parts)
        (FOLDER / f"{name}.md").write_text(text + _beyond(parts), encoding="utf-8")


def _beyond(parts: tuple[Tables, ...]) -> str:
    """Return the table of rows that no claim of the paper stands behind, from modules that have some."""
    own = [row for part in parts for row in getattr(part, "ours", list)()]
    return table(*BEYOND, own) if own else ""


if __name__ == "__main__":
    write()
