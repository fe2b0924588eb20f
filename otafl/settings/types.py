"""Types that keys of a scenario have in common, and the rules of a single value."""

import math
from collections.abc import Collection
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

LOWEST_SNR_DB, HIGHEST_SNR_DB = -200, 300
LARGEST_COUNT = 2**31 - 1
LEAST, MOST = 1e-36, 1e36
"""Bounds on positive numbers, which single precision holds with some room."""
LONGEST_S, LONGEST_M = 1e12, 1e9
"""Largest durations and distances; sums and products of them are finite."""


def _whole_or_infinite(value: float) -> float:
    if not (value >= 1 and (math.isinf(value) or value == int(value))):
        raise ValueError("must be a whole number of at least 1, or inf for a channel that never changes")
    return value


def _penalty(value: float) -> float:
    if value < 0:
        raise ValueError("must be greater than 0, or 0 with methods that need no penalty")
    return value


def schedule(text: str) -> dict[int, float]:
    """Values by the round that they hold from, of a text such as "30: 0.1, 60: 1"."""
    parts = [part.split(":") for part in text.split(",") if part.strip()]
    return {int(first): float(value) for first, value in parts}


def _checked_schedule(text: str) -> str:
    try:
        valid = all(first >= 1 and 0 < value < math.inf for first, value in schedule(text).items())
    except ValueError:
        valid = False
    if not valid:
        raise ValueError('must name rounds and positive values, as "30: 0.1, 60: 1"')
    return text


def _snr(value: float) -> float:
    if not (LOWEST_SNR_DB <= value <= HIGHEST_SNR_DB or value == math.inf):
        rule = f"must be a number of decibels from {LOWEST_SNR_DB} to {HIGHEST_SNR_DB}, or inf for a noise-free channel"
        raise ValueError(rule)
    return value


def _count(value: int) -> int:
    if value > LARGEST_COUNT:
        raise ValueError(f"must be at most {LARGEST_COUNT}, as programs count in 32 bits")
    return value


def between(low: float, high: float, or_infinite: bool = False) -> AfterValidator:
    """The rule that a number lies between two others, or is infinite where that means something."""

    def within(value: float) -> float:
        if not (low <= value <= high or (or_infinite and value == math.inf)):
            raise ValueError(f"must be from {low:g} to {high:g}{', or inf' * or_infinite}")
        return value

    return AfterValidator(within)


def one_of(names: Collection[str]) -> AfterValidator:
    """The rule that a value is one of some names."""

    def listed(value: str) -> str:
        if value not in names:
            *others, last = map(repr, names)
            raise ValueError(f"must be {', '.join(others)} or {last}")
        return value

    return AfterValidator(listed)


Seed = Annotated[int, Field(ge=0, lt=2**32)]
Count = Annotated[int, Field(ge=1), AfterValidator(_count)]
AboveZero = Annotated[float, Field(gt=0, allow_inf_nan=False)]
FromZero = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[AboveZero, between(LEAST, MOST)]
NotNegative = Annotated[FromZero, between(0, MOST)]
AtLeastOne = Annotated[float, Field(ge=1, allow_inf_nan=False), between(1, MOST)]
Seconds = Annotated[AboveZero, between(1 / LONGEST_S, LONGEST_S)]
Metres = Annotated[AboveZero, between(1 / LONGEST_M, LONGEST_M)]
Share = Annotated[float, Field(gt=0, le=1)]
Penalty = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_penalty), between(0, MOST)]
Schedule = Annotated[str, AfterValidator(_checked_schedule)]
WholeOrInfinite = Annotated[float, AfterValidator(_whole_or_infinite)]
Decibels = Annotated[float, AfterValidator(_snr)]


ALWAYS = "always"
"""Marks a key that every run reads."""
VECTORISED = "vectorised"
"""Marks a key in which runs that one program computes side by side may differ."""


class Table(BaseModel, frozen=True, extra="forbid", strict=True):
    """A table of scenario keys: immutable, strictly typed, unknown keys refused."""
