"""Parameters of schemes as keys of scenarios."""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import Field
from pydantic.fields import FieldInfo

from channels.fading import FADING
from otafl.errors import OtaflError
from otafl.variables import Quantity

KINDS = (bool, int, float, str)


def key(
    default: Any, description: str, unit: str = "1", symbol: str = "", choices: Collection[Any] = (), **rules: float
) -> Any:
    """A parameter of a scheme of your own, which becomes a scenario key.

    Arguments:
        default: its value where a scenario says nothing; its type is the key's: a truth value, a whole number, a number
            or a text.
        description: in words, for the help.
        unit: for axes; "1" where there is none.
        symbol: for legends.
        choices: the values that it may have; left out, all that keep the rules.
        rules: bounds of a number, ``gt``, ``ge``, ``lt`` and ``le``.

    Raises:
        OtaflError: a default of another type, or unknown rules.
    """
    if type(default) not in KINDS:
        raise OtaflError("default", default, "must be a truth value, a number or a text")
    if unknown := rules.keys() - {"gt", "ge", "lt", "le"}:
        raise OtaflError("key", ", ".join(sorted(unknown)), "must be gt, ge, lt or le")
    takes: Any = Literal[tuple(choices)] if choices else type(default)
    shown = [Quantity(symbol, unit, symbol=symbol)] if unit != "1" or symbol else []
    made: Any = Field(default=default, description=description, validate_default=True)
    made.annotation, made.metadata = takes, [*_bounds(type(default), rules), *shown]
    return made


def _bounds(kind: type, rules: Mapping[str, float]) -> list[Any]:
    """Rules of a key as what its field is annotated with."""
    finite = {"allow_inf_nan": False} if kind is float else {}
    bounds: Any = Field(**rules, **finite)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return bounds.metadata


def of_dataclass(fading: str, field: dataclasses.Field) -> FieldInfo:
    """A parameter of a fading model as a key; its metadata may say ``description``, ``unit``, ``symbol`` and so on."""
    if field.default is dataclasses.MISSING:
        raise OtaflError(f"fading {fading!r}", field.name, "must have a default")
    told: dict[str, Any] = {"description": f"{fading} fading: {field.name.replace('_', ' ')}"}
    return key(field.default, **told | dict(field.metadata))


def of_package() -> dict[str, type]:
    """The fading models of the package itself, by name."""
    return {name: model for name, model in FADING.items() if model.__module__.split(".")[0] == "channels"}
