"""Scenario keys as options of the command line."""

import contextlib
import dataclasses
import itertools
import os
import tomllib
from typing import Annotated, Any, Literal, get_args, get_origin

import tyro

from otafl.errors import OtaflError
from otafl.scenario import dotted, file, schemes
from otafl.settings.keys import Settings, Table


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
            nested.__doc__ = (type(field.default).__doc__ or "").splitlines()[0]
            fields.append((name, nested, dataclasses.field(default_factory=nested)))
        else:
            fields.append((name, *_option(field)))
    return fields


def overrides() -> type:
    """Scenario keys as options, those of schemes of the user's own among them."""
    made = dataclasses.make_dataclass("Overrides", _options(Settings))
    made.__doc__ = "Scenario keys; several values sweep a key."
    return made


def prepare(words: list[str]) -> None:
    """Load the schemes of the user's own that the words of a command name, so that their keys are options.

    What cannot be loaded is said when the scenario itself is.
    """
    after = words.index("--plugins") + 1 if "--plugins" in words else len(words)
    named = itertools.takewhile(lambda word: not word.startswith("--"), words[after:])
    with contextlib.suppress(OtaflError):
        schemes.load(list(named))
        for word in words:
            if word.endswith(".toml") and os.path.isfile(word):
                file.read(word)


def values(overrides: Any) -> dict[str, Any]:
    """The options that were given, as dotted keys with one value or a list."""
    given = {}
    for key in dotted.fields():
        words = overrides
        for part in key.split("."):
            words = getattr(words, part)
        if words == ():
            raise OtaflError(f"--{key}", "", "needs a value")
        if words:
            values = [_value(word) for word in words]
            given[key] = values if len(values) > 1 or key == "plugins" else values[0]
    return given


def _value(word: str) -> Any:
    """A word as TOML reads it, text where it is none."""
    try:
        (value,) = tomllib.loads(f"value = {word}").values()
    except (ValueError, RecursionError):
        return word
    return value
