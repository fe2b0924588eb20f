"""The one error that bad input ends in."""

import difflib
from collections.abc import Iterable

LONGEST_KEY, LONGEST_VALUE, LONGEST_RULE = 200, 400, 1200
"""Letters of the parts of a message; of longer ones the middle is left out."""


class OtaflError(ValueError):
    """Bad input: names the key, its value and the rule that the value breaks, in one line."""

    def __init__(self, key: str, value: object, rule: str) -> None:
        line = f"{_short(key, LONGEST_KEY)} = {_short(_shown(value), LONGEST_VALUE)}: {_short(rule, LONGEST_RULE)}"
        super().__init__("".join(letter if letter.isprintable() else " " for letter in line))

    def __reduce__(self) -> tuple:
        """So that one process can raise what another one met."""
        return _again, (str(self),)


def _again(line: str) -> OtaflError:
    return OtaflError.__new__(OtaflError, line)


def _shown(value: object) -> str:
    """A value as Python writes it, its type where that cannot be had."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _short(text: str, longest: int) -> str:
    """A text without the middle of what is too long to be read."""
    return text if len(text) <= longest else f"{text[: longest // 2]}...{text[-longest // 2 :]}"


class UnknownName(OtaflError):
    """A name that is not among the known ones; suggests the nearest, or else ``see``, by default all of them."""

    def __init__(self, what: str, name: str, known: Iterable[str], see: str = "") -> None:
        known = sorted(known)
        same = [other for other in known if other.lower() == name.lower()]
        close = same or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else see or f"known: {', '.join(known)}"
        super().__init__(what, name, f"unknown {what}; {hint}")


class Unprepared(Exception):
    """A run could not be set up, for another reason than bad input; the message is a traceback."""


class Remark(UserWarning):
    """Something about a scenario that a user may not expect, and that is allowed."""
