"""Evaluation of the claims of all folders, or of those named: writes their rows into the table, and their pages."""

import sys

from figures.gallery import claim_table, evaluation, pages
from figures.gallery.claims import book, folders

if __name__ == "__main__":
    names = sys.argv[1:] or folders()
    claim_table.write([row for name in names for row in evaluation.rows(book(name))])
    pages.write(tuple(names))
