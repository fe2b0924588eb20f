"""Reference of methods, fading models, uplinks and keys, read from the code, for the command line and the pages."""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from otafl.algorithms import METHODS
from otafl.channels.fading import FADING
from otafl.cli.glossary import terms
from otafl.cli.help_search import MethodEntry, Topic
from otafl.losses import PROBLEMS
from otafl.metrics.result_variables import VARIABLES, WHY_ABSENT, Quantity
from otafl.scenario.dotted_keys import last_part
from otafl.schemes import SCHEMES
from otafl.settings.help_texts import help_text
from otafl.settings.keys import KEY_TABLES, Settings
from otafl.settings.plot import Plot
from otafl.settings.types import choices
from otafl.uplinks import UPLINKS, chain


class KeyEntry(NamedTuple):
    """Scenario key in words: its dotted name, type or choices with bounds, default in TOML, unit and help text."""

    name: str
    takes: str
    default: str
    unit: str
    doc: str


def methods() -> list[MethodEntry]:
    """Return a description of each registered learning method: its paper, uploads, uplinks and keys."""
    entries = []
    for name, method in METHODS.items():
        numbers = f" and {method.scalars} number" if method.scalars else ""
        sends = f"{method.vectors} vector{'s' if method.vectors > 1 else ''}{numbers}"
        read = tuple(key for key in dict.fromkeys(method.keys) if key.startswith("algorithm."))
        doc = inspect.getdoc(type(method)) or ""
        entries.append(MethodEntry(name, _title(type(method)), sends, method.uplinks, read, doc))
    return entries


def _title(method: type) -> str:
    """Return the title that the docstring of a method's module quotes, or that of one of its base classes."""
    for base in method.__mro__:
        text = " ".join((sys.modules[base.__module__].__doc__ or "").split())
        if quoted := re.search(r'"([^"]+)"', text):
            return quoted[1]
        if base.__module__.split(".")[0] != "otafl":
            break
    return method.__module__


def keys() -> list[KeyEntry]:
    """Return a description of each scenario key, those of the figure (table ``plot``) included."""
    tables = {"": Settings, **KEY_TABLES, "plot": Plot}
    return [
        _key_entry(f"{name}.{key}".lstrip("."), field, help_text(table, key))
        for name, table in tables.items()
        for key, field in table.model_fields.items()
        if key not in KEY_TABLES
    ]


def _key_entry(name: str, field: FieldInfo, doc: str) -> KeyEntry:
    units = [entry.unit for entry in field.metadata if isinstance(entry, Quantity) and entry.unit != "1"]
    return KeyEntry(name, _takes(field), _toml(field.default), "".join(units[:1]), doc)


def _takes(field: FieldInfo) -> str:
    """Return the choices or the type of a scenario key, with its bounds, such as "number, > 0" or '"mean" or "sum"'."""
    rules = [(symbol, getattr(rule, name, None)) for rule in field.metadata for name, symbol in BOUNDS]
    bounds = [f"{symbol} {bound}" for symbol, bound in rules if bound is not None]
    return ", ".join([_kind(field.annotation, field.metadata), *bounds])


BOUNDS = (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤"))
"""Symbols of bounds, by their names in pydantic."""
KINDS: dict[object, str] = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def _kind(annotation: object, rules: Iterable[object] = ()) -> str:
    if listed := choices(annotation, rules):
        return " or ".join(map(_toml, listed))
    if get_origin(annotation) is dict:
        return f"table of {_kind(get_args(annotation)[1])}s"
    if get_origin(annotation) is tuple:
        return f"list of {_kind(get_args(annotation)[0])}"
    parts = [_kind(part) for part in get_args(annotation) if isinstance(part, type) or get_origin(part)]
    return " or ".join(filter(None, parts)) or KINDS.get(annotation, "")


def _toml(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value)


def topics() -> Iterator[Topic]:
    """Yield help on words of the field, keys, methods, parts by the keys that choose them, schemes and variables."""
    for term in terms():
        unit, symbol = f" [{term.unit}]" if term.unit else "", f" ({term.symbol})" if term.symbol else ""
        text = f"{term.term}{unit}: {term.meaning}{symbol}\n  {term.names.replace('`', '')}"
        yield Topic(term.term, term.words, f"{term.meaning}. {term.synonyms}", text, refers=term.named)
    for entry in keys():
        names, choices = (entry.name, last_part(entry.name)), tuple(re.findall('"([^"]*)"', entry.takes))
        yield Topic(entry.name, names, f"{entry.doc}. {entry.takes}", _explained(entry), choices)
    for name, uplink in UPLINKS.items():
        yield _choice("uplink.kind", name, uplink, uplink.keys)
    parts = {f"uplink.{part}": registry for part, registry in chain.PARTS.items()}
    for key, registry in ({"problem.kind": PROBLEMS, "channel.fading": FADING} | parts).items():
        for name, choice in registry.items():
            read = (f"{key.partition('.')[0]}.{parameter}" for parameter in registry.parameters(name))
            yield _choice(key, name, choice, read)
    for name, scheme in SCHEMES.items():
        title = f'uplink.scheme = "{name}"'
        chosen = ", ".join(f'uplink.{key} = "{part}"' for key, part in scheme.parts.items())
        yield Topic(title, (name,), scheme.paper, f"{title}\n  {chosen}\n  from: {scheme.paper}")
    for entry in methods():
        title, read = f'method = "{entry.name}"', ", ".join(entry.keys) or "none of its own"
        sent = f"uploads: {entry.sends}, over {', '.join(entry.uplinks)}\n  keys: {read}"
        text = f"{title}\n  {entry.doc}\n  from: {entry.source}\n  {sent}"
        yield Topic(title, (entry.name,), f"{entry.doc} {entry.source}", text)
    for name, variable in VARIABLES.items():
        unit = f" [{variable.unit}]" if variable.unit != "1" else ""
        absent = f"; where it is absent: {WHY_ABSENT[reason]}" if (reason := variable.brought_by) in WHY_ABSENT else ""
        text = f"{name}{unit}, a variable of results\n  {variable.long_name}{absent}"
        yield Topic(name, (name,), variable.long_name, text)


def _choice(key: str, name: str, choice: object, read: Iterable[str]) -> Topic:
    title, doc = f'{key} = "{name}"', inspect.getdoc(choice) or ""
    return Topic(title, (name,), doc, f"{title}\n  {doc}\n  keys: {', '.join(read) or 'none'}")


def _explained(entry: KeyEntry) -> str:
    unit = f" [{entry.unit}]" if entry.unit else ""
    default = f"default {entry.default}" if entry.default else "no default"
    readers = [name for name, method in METHODS.items() if entry.name in method.keys]
    who = f"\n  read by {', '.join(readers)}" if readers and len(readers) < len(METHODS) else ""
    return f"{entry.name}{unit}: {entry.takes}; {default}\n  {entry.doc}{who}"
