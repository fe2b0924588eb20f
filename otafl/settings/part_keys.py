"""Parameters of parts and methods as scenario keys."""

import dataclasses
import re
from collections.abc import Collection, Mapping
from typing import Literal

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from otafl.channels.allocation import ALLOCATIONS
from otafl.channels.codes import CODES
from otafl.channels.combiners import COMBINERS
from otafl.channels.fading import FADING
from otafl.channels.power_control import POWER_CONTROLS
from otafl.channels.precoding import PRECODERS
from otafl.channels.registry import KINDS, Registry
from otafl.compressors import COMPRESSORS
from otafl.errors import OtaflError
from otafl.losses import PROBLEMS
from otafl.metrics.result_variables import Quantity
from otafl.receivers import RECEIVERS
from otafl.settings.types import Value, Values, between


def key(
    default: Value,
    description: str,
    unit: str = "1",
    symbol: str = "",
    choices: Collection[Value] = (),
    label: str = "",
    takes: object = None,
    **rules: float,
) -> Value:
    """Return a scenario key for a parameter of a method, a part or an uplink of your own.

    >>> key(0.9, "share of the velocity that stays", ge=0, lt=1).default
    0.9

    Arguments:
        default: value where a scenario gives none. Its type is the key's: bool, int, float or str.
        description: help text.
        unit: unit on axes of figures, such as "dB"; "1" for none.
        symbol: symbol in legends of figures; left out, the label.
        choices: allowed values; left out, all that keep the rules.
        label: name on axes of figures; left out, the symbol.
        takes: type of the key, with rules, where it differs from that of the default.
        rules: bounds of a number, ``gt``, ``ge``, ``lt`` and ``le``.

    Returns:
        A pydantic field.

    Raises:
        OtaflError: the default has another type, or a rule is unknown.
    """
    if type(default) not in KINDS:
        raise OtaflError("default", default, "must be a truth value, a number or a text")
    if unknown := rules.keys() - {"gt", "ge", "lt", "le"}:
        raise OtaflError("key", ", ".join(sorted(unknown)), "must be gt, ge, lt or le")
    takes = takes or (Literal[tuple(choices)] if choices else type(default))
    shown = [Quantity(label or symbol, unit, symbol=symbol)] if unit != "1" or label or symbol else []
    plain = Field(default=default, description=description, validate_default=True)
    field = FieldInfo.from_annotated_attribute(takes, plain)  # pyright: ignore[reportArgumentType]
    field.metadata = [*field.metadata, *_bounds(takes, rules), *shown]
    return field


def _bounds(kind: object, rules: Mapping[str, float]) -> list[object]:
    finite = {"allow_inf_nan": False} if kind is float else {}
    closed = {"ge", "le"} <= rules.keys()
    plain = {name: bound for name, bound in rules.items() if not closed or name not in ("ge", "le")}
    bounds: FieldInfo = Field(**plain, **finite)  # pyright: ignore[reportCallIssue, reportArgumentType, reportAssignmentType]
    return [*bounds.metadata, *([between(rules["ge"], rules["le"])] if closed else [])]


def of_dataclass(kind: str, name: str, field: dataclasses.Field) -> FieldInfo:
    """Return the scenario key of a parameter of a part, which its dataclass holds as a field."""
    if field.default is dataclasses.MISSING:
        raise OtaflError(f"{kind} {name!r}", field.name, "must have a default")
    plain: Values = {"description": f"{name} {kind.replace('_', ' ')}: {field.name.replace('_', ' ')}"}
    return key(field.default, **plain | dict(field.metadata))


REGISTRIES: dict[str, tuple[Registry, ...]] = {
    "problem": (PROBLEMS,),
    "channel": (FADING,),
    "uplink": (COMPRESSORS, PRECODERS, POWER_CONTROLS, COMBINERS, CODES, ALLOCATIONS, RECEIVERS),
}
"""Registries of parts by the table of keys that has their parameters."""


def of_package(registry: Registry) -> dict[str, type]:
    """Return the registered parts that come with otafl, classes by name; those of users are left out."""
    return {name: part for name, part in registry.items() if part.__module__.split(".")[0] == "otafl"}


def choices(subject: str, registry: Registry) -> str:
    """Return the help text of a key that chooses a part: a subject, and each part with the head of its docstring."""
    docs = {name: " ".join((part.__doc__ or "").split()) for name, part in of_package(registry).items()}
    heads = [f"{name}: {re.split('[;.] |[.]$', doc)[0].replace('`', '')}" for name, doc in docs.items()]
    return f"{subject}. {'; '.join(heads)}"


def add_to(model: type[BaseModel], table: str) -> None:
    """Make the parameters of the parts that come with otafl keys of a table, but for keys that it has already."""
    for registry in REGISTRIES[table]:
        for name, part in of_package(registry).items():
            for field in dataclasses.fields(part):
                if field.init and field.name not in model.__pydantic_fields__:
                    model.__pydantic_fields__[field.name] = of_dataclass(registry.kind, name, field)
