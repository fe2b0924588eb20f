"""Scenario keys as options of the command line, which take time to make."""

import contextlib
import dataclasses
import functools
import itertools
import os
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from otafl.cli.words import described, toml_value
from otafl.errors import OtaflError
from otafl.scenario import dotted_keys, file, user_classes
from otafl.scenario.stored_scenario import figure_of
from otafl.scenario.studies import Address
from otafl.settings.help_texts import help_text
from otafl.settings.keys import KEY_TABLES, Settings
from otafl.settings.plot import Plot, changed
from otafl.settings.types import Table, choices


def _kind(annotation: object, rules: Iterable[object] = ()) -> str:
    """Return the choices or the type of a key, for the help."""
    if listed := choices(annotation, rules):
        return "|".join(map(str, listed))
    if get_origin(annotation) is dict:
        return f"NAME={_kind(get_args(annotation)[1])}"
    parts = [_kind(part) for part in get_args(annotation) if isinstance(part, type) or get_origin(part)]
    known = {int: "INT", float: "FLOAT", str: "TEXT", bool: "true|false"}
    return "|".join(part for part in parts if part) or known.get(annotation, "")


def _options(name: str, doc: str, table: type[Table], wanted: Collection[str] | None, prefix: str = "") -> type:
    """Return a new dataclass with the keys of a table as options, each of which takes one value or several."""
    options: list[tuple[str, object, object]] = []
    for key, field in table.model_fields.items():
        if (nested := KEY_TABLES.get(key)) and table is Settings:
            kind: object = _options(key.title(), (nested.__doc__ or "").partition("\n")[0], nested, wanted, f"{key}.")
            options.append((key, kind, dataclasses.field(default_factory=kind)))
        elif wanted is None or prefix + key in wanted:
            default = str(field.default).lower() if isinstance(field.default, bool) else field.default
            words = described(f"{_kind(field.annotation, field.metadata)} ...", help_text(table, key), default)
            options.append((key, Annotated[tuple[str, ...] | None, words], dataclasses.field(default=None)))
    return dataclasses.make_dataclass(name, options, namespace={"__doc__": doc})


def overrides(wanted: Collection[str] | None) -> type:
    """Return a new dataclass with the wanted scenario keys as options for tyro; None: all, which takes it 0.4 s."""
    figure = plot_options(wanted)
    keys = _options("Overrides", "Scenario keys; several values sweep a key.", Settings, wanted)
    plot = ("plot", figure, dataclasses.field(default_factory=figure))
    return dataclasses.make_dataclass("Overrides", [plot], bases=(keys,), namespace={"__doc__": keys.__doc__})


def plot_options(wanted: Collection[str] | None) -> type:
    """Return a new dataclass with the keys of the figure as options, as ``overrides``."""
    return _options("Plot", "The figure.", Plot, wanted, "plot.")


def plot_of(plot: Plot, options: object, swept: Collection[str]) -> Plot:
    """Return the keys of a figure of swept keys, with those given as ``plot_options`` in place of some."""
    given = _values("", options, Plot.model_fields)
    asked = figure_of(changed(plot.model_dump(), given, swept, swept), [plot.y])
    if "kind" in given:
        asked.require_axis(swept)
    return asked


def prepare(words: list[str], of_scenario: bool) -> None:
    """Import the user's modules that a command, or a readable file of its scenario, names: keys become options."""
    words = [part for word in words for part in (word.split("=", 1) if word.startswith("--plugins=") else [word])]
    after = words.index("--plugins") + 1 if "--plugins" in words else len(words)
    user_classes.load(list(itertools.takewhile(lambda word: not word.startswith("--"), words[after:])))
    with contextlib.suppress(OtaflError):
        for word in words if of_scenario else ():
            if (address := Address.of_path(word)) and os.path.isfile(address.path):
                file.read(address)


def values(overrides: object) -> dict[str, Any]:
    """Return values of the scenario keys given as ``overrides``, by dotted key, such as {"channel.snr_db": [0, 20]}."""
    return _values("", overrides, dotted_keys.fields()) | _values("plot.", vars(overrides)["plot"], Plot.model_fields)


def _values(prefix: str, options: Any, fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """Return the values of the options that have words, as TOML reads these, by dotted key; several make a list."""
    given = {}
    for key, field in fields.items():
        words = functools.reduce(lambda table, part: getattr(table, part, None), key.split("."), options)
        if words == ():
            raise OtaflError(f"--{prefix}{key}", "", "needs a value")
        if words and get_origin(field.annotation) is dict:
            texts = get_args(field.annotation)[1] is str
            if bare := [word for word in words if "=" not in word]:
                form = "NAME=TEXT" if texts else "VARIABLE=NUMBER, such as test_accuracy=0.9"
                raise OtaflError(f"--{prefix}{key}", bare[0], f"must be {form}")
            pairs = [word.rpartition("=") for word in words]  # as a name may have signs of equality, and a text none
            given[prefix + key] = {name: text if texts else toml_value(text) for name, _, text in pairs}
        elif words:
            values = [toml_value(word) for word in words]
            lists = len(values) > 1 or (get_origin(field.annotation) is tuple and not isinstance(values[0], list))
            given[prefix + key] = values if lists else values[0]
    return given
