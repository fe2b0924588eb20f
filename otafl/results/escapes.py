"""Texts from results and scenarios in tables: as CSV, LaTeX and Markdown in which they can do nothing."""

import re
from collections.abc import Mapping

from otafl.plain_text import printable
from otafl.results import formulas

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE | re.ASCII)
"""Pattern of texts that are numbers, and stay so."""
FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@＝＋－＠])")
"""Pattern of places where a spreadsheet takes what follows for a formula, at the beginning or behind a semicolon."""
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
SIGNS = {"−": "-", "<": "<", ">": ">"}
"""Formulas of signs that are no letters of LaTeX's text."""
LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
"""Latin letters that look like those Greek ones for which LaTeX has no command."""
SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
    "–": "--",
}
"""LaTeX of characters that have another meaning there, or none."""
MARKDOWN = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
"""Markdown of characters that would make elements."""
MARKED = re.compile(r"[\\`*|$~]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
"""Pattern of other characters that have another meaning there: of a bracket before an address, and _ beside a word."""
_BRACKETS = {"[": r"\lbrack ", "]": r"\rbrack "}
MARKDOWN_FORMULA = {"|": r"\vert ", r"\|": r"\Vert ", "<": r"\lt ", ">": r"\gt ", "*": r"\ast ", **_BRACKETS}
"""Commands in formulas for characters that have another meaning in Markdown."""


def csv_text(text: str) -> str:
    """Return a text as a cell of CSV: a spreadsheet shows it, and takes no part of it for a formula.

    An apostrophe stands before what would begin one. A text that is a number stays as it is.

    >>> csv_text("=SUM(A1)"), csv_text("-3.5")
    ("'=SUM(A1)", '-3.5')
    """
    shown = printable(text)
    return shown if NUMBER.fullmatch(shown) else FORMULA.sub(r"\1\2'", shown)


def latex_text(text: str) -> str:
    """Return a text as LaTeX: special characters escaped, signs and Greek letters as commands, formulas kept."""
    commands = {letter: f"\\{name} " for letter, name in formulas.NAMES.items()}
    latex = "".join(_formula(part, commands) if math else _latex(part) for part, math in formulas.parts(text))
    return f"{{}}{latex}" if latex.startswith(("[", "*")) else latex  # an argument of the end of the line before


def _formula(formula: str, commands: Mapping[str, str]) -> str:
    """Return a formula with commands in place of some of its letters and commands."""
    return f"${''.join(commands.get(token, token) for token in formulas.tokens(formula))}$"


def _latex(text: str) -> str:
    powers = re.split("([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", text)
    words = ["".join(map(_letter, part)) for part in powers[::2]]
    raised = [f"$^{{{part.translate(PLAIN)}}}$" for part in powers[1::2]]
    return words[0] + "".join(power + word for power, word in zip(raised, words[1:], strict=True))


def _letter(letter: str) -> str:
    if letter in SIGNS:
        return f"${SIGNS[letter]}$"
    if letter in formulas.NAMES:
        return f"$\\{formulas.NAMES[letter]}$"
    return SPECIAL.get(letter) or LATIN.get(letter, letter)


def markdown_text(text: str) -> str:
    """Return a text as Markdown in a cell of a table: all but formulas is shown, and makes no element, link or cell."""
    escaped = []
    for part, math in formulas.parts(text):
        words = (MARKDOWN.get(letter, letter) for letter in MARKED.sub(r"\\\g<0>", part))
        escaped.append(_formula(part, MARKDOWN_FORMULA) if math else "".join(words))
    return "".join(escaped)
