"""What there is, read from the code itself: methods, fading models, uplinks and keys, for the command line and the
documentation."""

import difflib
import inspect
import re
import sys
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from channels.fading import FADING
from otafl.algorithms import METHODS, Method
from otafl.errors import OtaflError
from otafl.scenario.dotted_keys import fields, last_part
from otafl.schemes import SCHEMES
from otafl.settings.plot import Plot
from otafl.uplinks import UPLINKS, chain
from otafl.variables import VARIABLES, WHY_ABSENT, Quantity, Variable

SHORT = 2
"""Letters of names that are not proposed, as any word is near to them."""


class MethodEntry(NamedTuple):
    """A method.

    Arguments:
        name: what scenarios call it.
        source: title of the paper that it is from; of one without, of what file.
        sends: what a worker uploads in a round.
        uplinks: those that carry it, its default first.
        keys: its parameters.
        doc: in words.
    """

    name: str
    source: str
    sends: str
    uplinks: tuple[str, ...]
    keys: tuple[str, ...]
    doc: str


class KeyEntry(NamedTuple):
    """A scenario key.

    Arguments:
        name: dotted.
        takes: its type or its choices, and its bounds.
        default: as TOML has it; "" where there is none.
        unit: "" where there is none.
        doc: in words.
    """

    name: str
    takes: str
    default: str
    unit: str
    doc: str


def methods() -> list[MethodEntry]:
    """All methods that are registered."""
    return [_method(name, method) for name, method in METHODS.items()]


def _method(name: str, method: Method) -> MethodEntry:
    numbers = f" and {method.scalars} number" if method.scalars else ""
    sends = f"{method.vectors} vector{'s' if method.vectors > 1 else ''}{numbers}"
    own = tuple(key for key in dict.fromkeys(method.keys) if key.startswith("algorithm."))
    return MethodEntry(name, _title(type(method)), sends, method.uplinks, own, inspect.getdoc(type(method)) or "")


def _title(made: type) -> str:
    """The title that a module's first lines quote, of the module where a method or what it is derived from stands."""
    for base in made.__mro__:
        text = " ".join((sys.modules[base.__module__].__doc__ or "").split())
        if found := re.search(r'"([^"]+)"', text):
            return found[1]
        if base.__module__.split(".")[0] != "otafl":
            break
    return made.__module__


def keys() -> list[KeyEntry]:
    """All scenario keys, those of the figure among them."""
    of_figure = {f"plot.{key}": field for key, field in Plot.model_fields.items()}
    return [_key(name, field) for name, field in (fields() | of_figure).items()]


def _key(name: str, field: FieldInfo) -> KeyEntry:
    units = [entry.unit for entry in field.metadata if isinstance(entry, Quantity) and entry.unit != "1"]
    return KeyEntry(name, takes(field), _toml(field.default), "".join(units[:1]), field.description or "")


def takes(field: FieldInfo) -> str:
    """What a key takes: the choices where they are listed, else the type, with bounds."""
    bounds = [
        f"{symbol} {getattr(rule, name)}" for rule in field.metadata for name, symbol in BOUNDS if hasattr(rule, name)
    ]
    return ", ".join([_kind(field.annotation), *bounds])


BOUNDS = (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤"))
KINDS: dict[Any, str] = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def _kind(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return " or ".join(map(_toml, get_args(annotation)))
    if get_origin(annotation) is tuple:
        return f"list of {_kind(get_args(annotation)[0])}"
    parts = [_kind(part) for part in get_args(annotation) if isinstance(part, type) or get_origin(part)]
    return " or ".join(filter(None, parts)) or KINDS.get(annotation, "")


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value)


def explain(name: str) -> str:
    """What a key, a method, a fading model, an uplink, a variable or an error's key is about, in a few lines.

    Arguments:
        name: a dotted key, the last part of one, a name of what is registered, or one of a key's choices.

    Raises:
        OtaflError: nothing has that name.
    """
    found = [_explained(entry) for entry in keys() if name in (entry.name, last_part(entry.name))]
    found += [_of_method(entry) for entry in methods() if entry.name == name]
    if name in FADING:
        keys_of = ", ".join(f"channel.{key}" for key in FADING.parameters(name)) or "none"
        found.append(f'channel.fading = "{name}"\n  {inspect.getdoc(FADING[name])}\n  keys: {keys_of}')
    if name in UPLINKS:
        found.append(
            f'uplink.kind = "{name}"\n  {inspect.getdoc(UPLINKS[name])}\n  keys: {", ".join(UPLINKS[name].keys)}'
        )
    for key, registry in chain.PARTS.items():
        if name in registry:
            keys_of = ", ".join(f"uplink.{one}" for one in registry.parameters(name)) or "none"
            found.append(f'uplink.{key} = "{name}"\n  {inspect.getdoc(registry[name])}\n  keys: {keys_of}')
    if name in SCHEMES:
        parts = ", ".join(f'uplink.{key} = "{part}"' for key, part in SCHEMES[name].parts.items())
        found.append(f'uplink.scheme = "{name}"\n  {parts}\n  from: {SCHEMES[name].paper}')
    if name in VARIABLES:
        found.append(_of_variable(VARIABLES[name]))
    found = found or [_explained(entry) for entry in keys() if f'"{name}"' in entry.takes.split(" or ")]
    if found:
        return "\n\n".join(found)
    parts = (part for registry in chain.PARTS.values() for part in registry if len(part) > SHORT)
    known = [*(entry.name for entry in keys()), *METHODS, *FADING, *UPLINKS, *SCHEMES, *parts, *VARIABLES]
    ends = {last_part(one): one for one in known}
    close = difflib.get_close_matches(name, [*known, *ends], n=1, cutoff=0.4)
    raise OtaflError("help", name, f"nothing has that name{f'; did you mean {close[0]!r}?' if close else ''}")


def _explained(entry: KeyEntry) -> str:
    unit = f" [{entry.unit}]" if entry.unit else ""
    default = f"default {entry.default}" if entry.default else "no default"
    readers = [method.name for method in methods() if entry.name in METHODS[method.name].keys]
    who = f"\n  read by {', '.join(readers)}" if readers and len(readers) < len(METHODS) else ""
    return f"{entry.name}{unit}: {entry.takes}; {default}\n  {entry.doc}{who}"


def _of_variable(variable: Variable) -> str:
    unit = f" [{variable.unit}]" if variable.unit != "1" else ""
    absent = f"; where it is absent: {WHY_ABSENT[found]}" if (found := variable.brought_by) in WHY_ABSENT else ""
    return f"{variable.name}{unit}, a variable of results\n  {variable.long_name}{absent}"


def _of_method(entry: MethodEntry) -> str:
    own = ", ".join(entry.keys) or "none of its own"
    return (
        f'method = "{entry.name}"\n  {entry.doc}\n  from: {entry.source}\n  uploads: {entry.sends}, '
        f"over {', '.join(entry.uplinks)}\n  keys: {own}"
    )
