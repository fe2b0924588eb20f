"""Reference of methods, fading models, uplinks and keys, read from the code, for the command line and the pages."""

import difflib
import inspect
import re
import sys
from collections.abc import Iterable
from typing import NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from otafl.algorithms import METHODS, Method
from otafl.channels.fading import FADING
from otafl.channels.registry import Registry
from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.metrics.result_variables import VARIABLES, WHY_ABSENT, Quantity, Variable
from otafl.scenario.dotted_keys import fields, last_part, without
from otafl.schemes import SCHEMES
from otafl.settings.plot import Plot
from otafl.settings.types import choices
from otafl.uplinks import UPLINKS, chain

SHORT = 2
"""Largest length of names that are not suggested, as any word is close to them."""


class MethodEntry(NamedTuple):
    """Description of a learning method for help and reference, in words.

    Arguments:
        name: name in scenarios, such as "FedAvg".
        source: title of its paper, or else the name of its Python module.
        sends: upload of a worker in a round, such as "2 vectors and 1 number".
        uplinks: kinds of uplinks that carry it, its default first, such as ("analog", "digital").
        keys: dotted scenario keys of its parameters, in the table ``algorithm``.
        doc: docstring of its class.
    """

    name: str
    source: str
    sends: str
    uplinks: tuple[str, ...]
    keys: tuple[str, ...]
    doc: str


class KeyEntry(NamedTuple):
    """Description of a scenario key for help and reference, in words.

    Arguments:
        name: dotted name, such as "channel.snr_db".
        takes: its type or its choices, and its bounds.
        default: its default in TOML; empty: none.
        unit: its unit; empty: none.
        doc: help text.
    """

    name: str
    takes: str
    default: str
    unit: str
    doc: str


def methods() -> list[MethodEntry]:
    """Return a description of each registered learning method: its paper, uploads, uplinks and keys."""
    return [_method(name, method) for name, method in METHODS.items()]


def _method(name: str, method: Method) -> MethodEntry:
    numbers = f" and {method.scalars} number" if method.scalars else ""
    sends = f"{method.vectors} vector{'s' if method.vectors > 1 else ''}{numbers}"
    read = tuple(key for key in dict.fromkeys(method.keys) if key.startswith("algorithm."))
    return MethodEntry(name, _title(type(method)), sends, method.uplinks, read, inspect.getdoc(type(method)) or "")


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
    of_figure = {f"plot.{key}": field for key, field in Plot.model_fields.items()}
    return [_key(name, field) for name, field in (fields() | of_figure).items()]


def _key(name: str, field: FieldInfo) -> KeyEntry:
    units = [entry.unit for entry in field.metadata if isinstance(entry, Quantity) and entry.unit != "1"]
    return KeyEntry(name, takes(field), _toml(field.default), "".join(units[:1]), field.description or "")


def takes(field: FieldInfo) -> str:
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
        return "table of texts"
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


ALIASES: dict[str, tuple[str, ...]] = {
    "aircomp": ("analog",),
    "latency": ("time_slots", "time"),
    "delay": ("time_slots", "time"),
    "byzantine": ("hostile", "attack"),
    "ris": ("surface_elements",),
    "irs": ("surface_elements",),
    "csi": ("pilots", "estimator"),
    "vote": ("majority",),
    "client": ("workers",),
    "clients": ("workers",),
    "device": ("workers",),
    "devices": ("workers",),
}
"""Names that have help, by a word of the field that is no such name, in small letters."""


def explain(name: str) -> str:
    """Return help on a scenario key, a method, a fading model, an uplink or its part, a scheme or a result's variable.

    Arguments:
        name: a dotted key or its last part, a registered name, or one of a key's choices; or a word that means the
            same in the field; else any word, upper or lower case.

    Returns:
        Help on all that have the name, with empty lines between, then the names of all whose help mentions it. Where
        none has the name, those that mention it have their first sentences.

    Raises:
        OtaflError: no help mentions the name; suggests the closest one.
    """
    named = _named(name) or _named(_cased(name))
    for other in ALIASES.get(name.lower(), ()):
        named |= _named(other)
    others = without(_mentions(name), named)
    if named:
        return "\n\n".join([*named.values(), *([f"mentioned by {', '.join(others)}"] if others else [])])
    if others:
        return "\n\n".join(f"{other}\n  {_first_sentence(text)}" for other, text in others.items())
    close = _closest(name)
    raise OtaflError("help", name, f"nothing has that name{f'; did you mean {close!r}?' if close else ''}")


def _named(name: str) -> dict[str, str]:
    """Return help on all that have a name, by their full names."""
    texts = {entry.name: _explained(entry) for entry in keys() if name in (entry.name, last_part(entry.name))}
    texts |= {f'method = "{name}"': _of_method(entry) for entry in methods() if entry.name == name}
    if name in UPLINKS:
        texts |= _of_choice("uplink.kind", name, UPLINKS[name], UPLINKS[name].keys)
    for key, registry in _registries().items():
        if name in registry:
            read = [f"{key.partition('.')[0]}.{parameter}" for parameter in registry.parameters(name)]
            texts |= _of_choice(key, name, registry[name], read)
    if name in SCHEMES:
        parts = ", ".join(f'uplink.{key} = "{part}"' for key, part in SCHEMES[name].parts.items())
        scheme = f'uplink.scheme = "{name}"'
        texts[scheme] = f"{scheme}\n  {parts}\n  from: {SCHEMES[name].paper}"
    if name in VARIABLES:
        texts[name] = _of_variable(VARIABLES[name])
    return texts or {entry.name: _explained(entry) for entry in keys() if f'"{name}"' in entry.takes.split(" or ")}


def _registries() -> dict[str, Registry]:
    """Return registries by the key that chooses from them."""
    return {
        "problem.kind": PROBLEMS,
        "channel.fading": FADING,
        **{f"uplink.{part}": registry for part, registry in chain.PARTS.items()},
    }


def _mentions(word: str) -> dict[str, str]:
    """Return the help of all that mention a word, by name: first those whose names do."""
    if len(word) <= SHORT:
        return {}
    helped = {name: " ".join(text.split()) for name, text in _texts().items()}
    texts = {name: text for name, text in helped.items() if word.lower() in f"{name} {text}".lower()}
    return dict(sorted(texts.items(), key=lambda item: word.lower() not in item[0].lower()))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text without its full stop; the point of an initial ends none."""
    return re.split(r"(?<![ (][A-Z])(?<!^[A-Z])[.] ", text, maxsplit=1)[0].rstrip(".")


def _texts() -> dict[str, str]:
    """Return all help by name: keys, parts by the key that chooses them, schemes, methods, variables of results."""
    texts = {entry.name: f"{entry.doc} {entry.takes}" for entry in keys()}
    for key, registry in _registries().items():
        texts |= {f'{key} = "{name}"': inspect.getdoc(part) or "" for name, part in registry.items()}
    texts |= {f'uplink.scheme = "{name}"': scheme.paper for name, scheme in SCHEMES.items()}
    texts |= {f'method = "{entry.name}"': f"{entry.doc} {entry.source}" for entry in methods()}
    return texts | {name: variable.long_name for name, variable in VARIABLES.items()}


def _cased(name: str) -> str:
    """Return the known name that is a text but for upper and lower case; else the text in lower case."""
    return next((known for known in _known() if known.lower() == name.lower()), name.lower())


def _known() -> list[str]:
    """Return all names that have help."""
    parts = (part for registry in chain.PARTS.values() for part in registry if len(part) > SHORT)
    dotted = [entry.name for entry in keys()]
    return [*map(last_part, dotted), *METHODS, *FADING, *UPLINKS, *SCHEMES, *parts, *dotted, *VARIABLES]


def _closest(name: str) -> str:
    """Return the shortest known name that contains a text, or else one that resembles it; empty where none does."""
    known = _known()
    holding = sorted((text for text in known if name.lower() in text.lower() and len(name) >= SHORT), key=len)
    return next(iter(holding or difflib.get_close_matches(name, known, n=1, cutoff=0.5)), "")


def _explained(entry: KeyEntry) -> str:
    unit = f" [{entry.unit}]" if entry.unit else ""
    default = f"default {entry.default}" if entry.default else "no default"
    readers = [method.name for method in methods() if entry.name in METHODS[method.name].keys]
    who = f"\n  read by {', '.join(readers)}" if readers and len(readers) < len(METHODS) else ""
    return f"{entry.name}{unit}: {entry.takes}; {default}\n  {entry.doc}{who}"


def _of_choice(key: str, name: str, choice: object, keys: Iterable[str]) -> dict[str, str]:
    chosen = f'{key} = "{name}"'
    return {chosen: f"{chosen}\n  {inspect.getdoc(choice)}\n  keys: {', '.join(keys) or 'none'}"}


def _of_variable(variable: Variable) -> str:
    unit = f" [{variable.unit}]" if variable.unit != "1" else ""
    absent = f"; where it is absent: {WHY_ABSENT[reason]}" if (reason := variable.brought_by) in WHY_ABSENT else ""
    return f"{variable.name}{unit}, a variable of results\n  {variable.long_name}{absent}"


def _of_method(entry: MethodEntry) -> str:
    read = ", ".join(entry.keys) or "none of its own"
    text = f'method = "{entry.name}"\n  {entry.doc}\n  from: {entry.source}\n'
    return f"{text}  uploads: {entry.sends}, over {', '.join(entry.uplinks)}\n  keys: {read}"
