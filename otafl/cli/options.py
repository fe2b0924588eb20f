"""Scenario keys as options of the command line."""

import contextlib
import dataclasses
import functools
import itertools
import os
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args, get_origin

import tyro

from otafl.errors import OtaflError
from otafl.scenario import dotted_keys, file, user_classes
from otafl.scenario.sweeps import MOST_POINTS
from otafl.scenario.validation import validated
from otafl.settings.keys import Settings, Table
from otafl.settings.plot import Plot

NUMBER = r"-?\d+(\.\d+)?"
RANGE = re.compile(f"{NUMBER}:{NUMBER}:{NUMBER}")


def _option(field: Any) -> tuple[Any, Any]:
    """A scenario key as a command-line option that takes one value or several."""
    default = str(field.default).lower() if isinstance(field.default, bool) else field.default
    hint = "" if default is None else f"(default: {default})"
    option = tyro.conf.arg(metavar=f"{_kind(field.annotation)} ...", help=field.description, help_behavior_hint=hint)
    return Annotated[tuple[str, ...] | None, option], dataclasses.field(default=None)


def _kind(annotation: Any) -> str:
    """What a key takes, for the help: the choices where they are listed, else the type."""
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    parts = [_kind(part) for part in get_args(annotation) if isinstance(part, type) or get_origin(part)]
    known = {int: "INT", float: "FLOAT", str: "TEXT", bool: "true|false"}
    return "|".join(part for part in parts if part) or known.get(annotation, "")


def _options(table: type[Table]) -> list[tuple[str, Any, Any]]:
    fields = []
    for name, field in table.model_fields.items():
        if isinstance(field.default, Table):
            nested = dataclasses.make_dataclass(name.title(), _options(type(field.default)))
            nested.__doc__ = (type(field.default).__doc__ or "").partition("\n")[0]
            fields.append((name, nested, dataclasses.field(default_factory=nested)))
        else:
            fields.append((name, *_option(field)))
    return fields


def overrides() -> type:
    """Scenario keys as options, those of schemes of the user's own and of the figure among them."""
    figure = plot_options()
    options = [*_options(Settings), ("plot", figure, dataclasses.field(default_factory=figure))]
    made = dataclasses.make_dataclass("Overrides", options)
    made.__doc__ = "Scenario keys; several values sweep a key."
    return made


def plot_options() -> type:
    """Keys of a figure as options."""
    made = dataclasses.make_dataclass("Plot", _options(Plot))
    made.__doc__ = "The figure."
    return made


def plot_of(plot: Plot, options: Any) -> Plot:
    """The keys of a figure, some of which are given as options.

    Raises:
        OtaflError: a value breaks a rule.
    """
    return validated(Plot, plot.model_dump() | _given("", options, Plot.model_fields), under="plot.")


def prepare(words: list[str], of_scenario: bool) -> None:
    """Load the schemes of the user's own that the words of a command name, so that their keys are options.

    What cannot be loaded is said when the scenario itself is. Files of scenarios are read where it is about one.
    """
    words = [part for word in words for part in (word.split("=", 1) if word.startswith("--plugins=") else [word])]
    after = words.index("--plugins") + 1 if "--plugins" in words else len(words)
    named = itertools.takewhile(lambda word: not word.startswith("--"), words[after:])
    with contextlib.suppress(OtaflError):
        user_classes.load(list(named))
        for word in words if of_scenario else ():
            if word.endswith(".toml") and os.path.isfile(word):
                file.read(word)


def values(overrides: Any) -> dict[str, Any]:
    """The options that were given, as dotted keys with one value or a list, those of the figure among them."""
    return _given("", overrides, dotted_keys.fields()) | _given("plot.", overrides.plot, Plot.model_fields)


def _given(prefix: str, options: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Options that have words, by dotted key."""
    given = {}
    for key, field in fields.items():
        words = functools.reduce(getattr, key.split("."), options)
        if words == ():
            raise OtaflError(f"--{prefix}{key}", "", "needs a value")
        if words:
            values = [_value(word) for word in words]
            lists = len(values) > 1 or (get_origin(field.annotation) is tuple and not isinstance(values[0], list))
            given[prefix + key] = values if lists else values[0]
    return given


def expanded(words: list[str]) -> list[str]:
    """Words of a command in which first:last:step stands for the numbers that it lists, the last one included.

    Raises:
        OtaflError: such a range lists none, or too many.
    """
    return list(itertools.chain.from_iterable(_range(word) if RANGE.fullmatch(word) else [word] for word in words))


def _range(word: str) -> list[str]:
    first, last, step = map(Fraction, word.split(":"))
    if step == 0 or not 0 <= (last - first) / step <= MOST_POINTS:
        raise OtaflError("command line", word, f"must be first:last:step, which list 1 to {MOST_POINTS:,} numbers")
    numbers = [first + place * step for place in range(int((last - first) / step) + 1)]
    return [str(int(number)) if number.denominator == 1 else str(float(number)) for number in numbers]


def _value(word: str) -> Any:
    """A word as TOML reads it, text where it is none."""
    try:
        (value,) = tomllib.loads(f"value = {word}").values()
    except (ValueError, RecursionError):
        return word
    return value
