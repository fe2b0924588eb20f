"""Formulas between dollars in texts: which of them figures and tables show as mathematics."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from otafl.plain_text import printable
from otafl.results.matplotlib_setup import mathtext

_LATEX = tomllib.loads(Path(__file__).with_name("latex.toml").read_text(encoding="utf-8"))
NAMES: dict[str, str] = _LATEX["letters"]
"""Names in LaTeX of Greek letters and signs; letters that look like Latin ones have none."""
FORMULAS: dict[str, str] = _LATEX["formulas"]
"""Formulas in LaTeX of the parts of names that are formulas in words."""
COMMANDS = frozenset([*NAMES.values(), *_LATEX["commands"]])
"""Commands that formulas may have; LaTeX has all of them without a package."""
LONGEST = 200
"""Largest number of characters of a formula."""
_FORMULA = re.compile(r"(?<!\\)\$((?:\\.|[^$\\])+)\$")
_TOKEN = re.compile(r"\\(?P<command>[A-Za-z]+)|\\[,;:!{}| ]|(?P<letter>[^\\])")
_FORBIDDEN = frozenset('"#%&@`~')
"""Characters that formulas may not have, as LaTeX or Markdown give them another meaning."""


def parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield parts of a text, each with True for a formula, without dollars: short, of listed commands, and drawable."""
    plain = ""
    for place, part in enumerate(_FORMULA.split(printable(text))):
        if place % 2 and _is_formula(part):
            if plain:
                yield plain.replace(r"\$", "$"), False
            yield part, True
            plain = ""
        else:
            plain += f"${part}$" if place % 2 else part
    if plain:
        yield plain.replace(r"\$", "$"), False


def typeset(name: str) -> str:
    """Return a name with formulas between dollars in place of those in words."""
    for words, formula in FORMULAS.items():
        name = name.replace(words, f"${formula}$")
    return name


def tokens(formula: str) -> list[str]:
    return [token[0] for token in _TOKEN.finditer(formula)]


def _is_formula(text: str) -> bool:
    matches = list(_TOKEN.finditer(text))
    twice = "^^" in text or ("'" in text and "^" in text)  # a character by its code, and perhaps two superscripts
    if len(text) > LONGEST or twice or "".join(match[0] for match in matches) != text:
        return False
    return all(map(_allowed, matches)) and _drawn(text)  # which refuses braces that do not match


def _allowed(token: re.Match[str]) -> bool:
    if command := token["command"]:
        return command in COMMANDS
    letter = token["letter"] or ""
    return letter not in _FORBIDDEN and (letter.isascii() or letter in NAMES)


def _drawn(text: str) -> bool:
    try:
        mathtext.MathTextParser("path").parse(f"${text}$")
    except (ValueError, RecursionError):
        return False
    return True
