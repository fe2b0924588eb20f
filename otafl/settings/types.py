"""Values and types of scenario keys, and the rules of a single value."""

import functools
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args, get_origin

from pydantic import AfterValidator, BaseModel, Field

from otafl.channels.registry import Registry
from otafl.errors import OtaflError

Value: TypeAlias = Any
"""Value of a scenario key: truth value, number, text, list of these, or None; of the key's type once it is checked."""
Values: TypeAlias = dict[str, Value]
"""Values by dotted scenario key, such as {"channel.snr_db": 20.0}."""
Tables: TypeAlias = dict[str, Value]
"""Nested tables, as TOML has them, such as {"channel": {"snr_db": 20.0}}."""


LOWEST_SNR_DB, HIGHEST_SNR_DB = -200, 300
LARGEST_COUNT = 2**31 - 1
LEAST, MOST = 1e-36, 1e36
"""Bounds on positive numbers, well within the range of single precision."""
LONGEST_S, LONGEST_M = 1e12, 1e9
"""Largest durations [s] and distances [m]; sums and products of them are finite."""


def rule(holds: Callable[[Value], bool], text: str) -> AfterValidator:
    """Return a pydantic validator that refuses values which break a rule."""

    def checked(value: Value) -> Value:
        if not holds(value):
            raise ValueError(text)
        return value

    return AfterValidator(checked)


def schedule(text: str) -> dict[int, float]:
    """Return the values of a schedule by the first round of each; ValueError for a text of another form.

    >>> schedule("30: 0.1, 60: 1")
    {30: 0.1, 60: 1.0}
    """
    parts = [part.split(":") for part in text.split(",") if part.strip()]
    return {int(first): float(value) for first, value in parts}


def _is_schedule(text: str) -> bool:
    try:
        return all(first >= 1 and 0 < value < math.inf for first, value in schedule(text).items())
    except ValueError:
        return False


def _is_whole_or_infinite(value: float) -> bool:
    return value == math.inf or (value >= 1 and value == int(value))


@functools.cache  # so that two equal keys have equal rules
def between(low: float, high: float, or_infinite: bool = False) -> AfterValidator:
    """Return a pydantic validator that refuses numbers outside of two bounds."""
    text = f"must be from {low:g} to {high:g}{', or inf' * or_infinite}"
    return rule(lambda value: low <= value <= high or (or_infinite and value == math.inf), text)


@dataclass(frozen=True, eq=False)
class OneOf(AfterValidator):
    """Rule that a text is one of some names, a pydantic validator from which help and reference read the names."""

    names: Collection[str] = ()


def one_of(names: Collection[str]) -> OneOf:
    """Return a pydantic validator that refuses texts other than some names; a registry may gain some later."""

    def listed(value: str) -> str:
        if value not in names:
            *others, last = map(repr, names)
            hint = "; plugins must name the file of one of your own" if isinstance(names, Registry) else ""
            raise ValueError(f"must be {', '.join(others)} or {last}{hint}")
        return value

    return OneOf(listed, names)


def choices(annotation: object, rules: Iterable[object] = ()) -> tuple[Value, ...]:
    """Return the values that a key's type allows: of a literal type, or of a rule ``one_of``; else none."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    marks = (*rules, *getattr(annotation, "__metadata__", ()))
    return next((tuple(mark.names) for mark in marks if isinstance(mark, OneOf)), ())


Seed = Annotated[int, Field(ge=0, lt=2**32)]
Count = Annotated[
    int,
    Field(ge=1),
    rule(lambda value: value <= LARGEST_COUNT, f"must be at most {LARGEST_COUNT}, as programs count in 32 bits"),
]
AboveZero = Annotated[float, Field(gt=0, allow_inf_nan=False)]
FromZero = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[AboveZero, between(LEAST, MOST)]
NotNegative = Annotated[FromZero, between(0, MOST)]
AtLeastOne = Annotated[float, Field(ge=1, allow_inf_nan=False), between(1, MOST)]
Seconds = Annotated[AboveZero, between(1 / LONGEST_S, LONGEST_S)]
Metres = Annotated[AboveZero, between(1 / LONGEST_M, LONGEST_M)]
Share = Annotated[float, Field(gt=0, le=1)]
Schedule = Annotated[str, rule(_is_schedule, 'must name rounds and positive values, as "30: 0.1, 60: 1"')]
WholeOrInfinite = Annotated[
    float, rule(_is_whole_or_infinite, "must be a whole number of at least 1, or inf for a channel that never changes")
]
Decibels = Annotated[
    float,
    rule(
        lambda value: LOWEST_SNR_DB <= value <= HIGHEST_SNR_DB or value == math.inf,
        f"must be a number of decibels from {LOWEST_SNR_DB} to {HIGHEST_SNR_DB}, or inf for a noise-free channel",
    ),
]
Penalty = Annotated[
    float,
    Field(allow_inf_nan=False),
    rule(lambda value: value >= 0, "must be greater than 0, or 0 with methods that need no penalty"),
    between(0, MOST),
]
ALWAYS = "always"
"""Mark of a key that every run reads."""


@dataclass(frozen=True)
class Vectorised:
    """Mark of a key in which runs may differ that one program computes side by side."""

    instead: str
    """What code reads there in place of the key, an array with a value for each run."""


OF_RADIO = Vectorised("senders.snr or senders.power in costs, and in a link what the uplink's radio returns")
OF_METHOD = Vectorised("now.parameters")


class Table(BaseModel, frozen=True, extra="forbid", strict=True, defer_build=True):
    """Base of the tables of scenario keys: immutable, strictly typed, without unknown keys.

    A field is a key, and its docstring is the key's help text.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Value:
            """Return the default of a key that was added later; refuse one that differs between runs (``common``)."""
            if name not in type(self).__pydantic_fields__:
                return super().__getattr__(name)
            if name not in self.__pydantic_fields_set__:
                return type(self).__pydantic_fields__[name].default
            marks = type(self).__pydantic_fields__[name].metadata
            arrays = [f"read {mark.instead}, or " for mark in marks if isinstance(mark, Vectorised)]
            rule = f"differs between runs that are computed side by side; {''.join(arrays)}compute one value at a time"
            raise OtaflError(f"{type(self).__name__.lower()}.{name}", "a value for each run", rule)
