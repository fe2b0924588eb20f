"""The one error that bad input ends in."""

import difflib
from collections.abc import Iterable


class OtaflError(ValueError):
    """Bad input: names the key, its value and the rule that the value breaks."""

    def __init__(self, key: str, value: object, rule: str) -> None:
        super().__init__(f"{key} = {value!r}: {rule}")


class UnknownName(OtaflError):
    """A name that is not among the known ones; suggests the nearest."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        same = [other for other in known if other.lower() == name.lower()]
        close = same or difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
        super().__init__(what, name, f"unknown {what}; {hint}")


class Remark(UserWarning):
    """Something about a scenario that a user may not expect, and that is allowed."""
