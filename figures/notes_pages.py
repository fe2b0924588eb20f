"""Pages of the documentation with the notes on figures of a subject."""

from pathlib import Path
from typing import NamedTuple

from figures.sections import EVERY
from figures.study import load

FOLDER = Path("docs/claims")
"""Folder of the working folder in which pages are written: that of the project, if it runs there."""


class Page(NamedTuple):
    """Page of the documentation.

    Arguments:
        title: its title.
        prefixes: beginnings of the names of its figures, whose notes it shows.
    """

    title: str
    prefixes: tuple[str, ...]


PAGES = {
    "schemes": Page("Schemes of uplinks", ("scheme", "family", "fails")),
    "privacy": Page("Privacy", ("privacy",)),
}
"""Pages by the name of their file."""


def write() -> None:
    """Write all pages of notes, docs/claims/NAME.md."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        text = f"# {page.title}\n" + _notes(page.prefixes)
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")


def _notes(prefixes: tuple[str, ...]) -> str:
    """Return the notes on figures, under the figures' titles, as Markdown."""
    studies = (load(name) for name in EVERY if name.split("_")[0] in prefixes)
    return "".join(f"\n## {study.title}\n\n{study.notes}\n" for study in studies if study.notes)


if __name__ == "__main__":
    write()
