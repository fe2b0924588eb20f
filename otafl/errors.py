"""Errors and remarks that a user sees."""

import difflib
import os
from collections.abc import Iterable

from otafl.plain_text import printable, shortened

LONGEST_KEY, LONGEST_VALUE, LONGEST_RULE = 200, 400, 1200
"""Largest lengths of the parts of a message; a longer one loses its middle."""


class OtaflError(ValueError):
    """Error of bad input, in one line: the key, its value and the rule that the value breaks.

    Arguments:
        key: scenario key, argument or option, such as "channel.snr_db".
        value: value that was given for it.
        rule: rule that the value breaks, in words, such as "must be positive".
    """

    def __init__(self, key: str, value: object, rule: str) -> None:
        shown = shortened(_shown(value), LONGEST_VALUE)
        line = f"{shortened(key, LONGEST_KEY)} = {shown}: {shortened(rule, LONGEST_RULE)}"
        super().__init__(printable(line))

    def __reduce__(self) -> tuple:
        """Return the error in the form in which it is pickled, so that another process can raise it."""
        return OtaflError.__new__, (OtaflError, str(self))


def _shown(value: object) -> str:
    """Return a value as Python writes it, or its type if that fails."""
    try:
        return repr(str(value) if isinstance(value, os.PathLike) else value)
    except Exception:
        return f"<{type(value).__name__}>"


class UnknownName(OtaflError):
    """Error of an unknown name, with the closest known one and a hint, or else with the hint or all known names."""

    def __init__(self, what: str, name: str, known: Iterable[str], see: str = "") -> None:
        known = sorted(known)
        same = [other for other in known if other.lower() == name.lower()]
        close = same or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? {see}" if close else see or f"known: {', '.join(known)}"
        super().__init__(what, name, f"unknown {what}; {hint.strip()}")


class Unprepared(Exception):
    """Error of a run that cannot be set up, for another reason than bad input; its message is a traceback."""


class Remark(UserWarning):
    """Warning of something in a scenario that is allowed but may surprise the user, in one line."""

    def __init__(self, text: object) -> None:
        super().__init__(printable(str(text)))
