"""Evaluation of the claims of all folders, or of those named: writes their rows into the table, and their pages."""

import sys

from figures.gallery import claim_page, claim_table, evaluation
from figures.gallery.claims import FIGURES, book, folders

if __name__ == "__main__":
    names = sys.argv[1:] or folders()
    claim_table.write([row for name in names for row in evaluation.rows(book(name))])
    for name in names:
        (FIGURES / name / "README.md").write_text(claim_page.page(name), encoding="utf-8")
