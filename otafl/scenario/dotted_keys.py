"""Scenario keys by dotted name, such as "channel.snr_db": nested tables for which they stand, and their quantities."""

import difflib
from collections.abc import Collection, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from otafl.errors import OtaflError
from otafl.metrics.result_variables import COORDINATES, VARIABLES, Quantity
from otafl.settings.keys import KEY_TABLES, Settings
from otafl.settings.types import Tables, Value, Values

WHOLE = ("run.stop_at",)
"""Keys whose value is a table."""
DEEPEST = 3
"""Largest depth of nested tables, one more than keys of single methods have."""


def last_part(key: str) -> str:
    """Return the name of a scenario key without its table: "snr_db" of "channel.snr_db"."""
    return key.split(".")[-1]


def flatten(tables: Mapping[str, Value], prefix: str = "") -> Values:
    """Return the values of nested tables by dotted key; tables that are nested deeper than any key stay as they are.

    >>> flatten({"channel": {"snr_db": 20}})
    {'channel.snr_db': 20}
    """
    flat: Values = {}
    for key, value in tables.items():
        nested = isinstance(value, dict) and prefix + key not in WHOLE and prefix.count(".") < DEEPEST
        flat |= flatten(value, f"{prefix}{key}.") if nested else {prefix + key: value}
    return flat


def without(table: Mapping[str, Value], keys: Collection[str]) -> Values:
    """Return a copy of a table without some keys, which it need not have."""
    return {key: value for key, value in table.items() if key not in keys}


def nest(values: Mapping[str, Value], onto: Mapping[str, Value] | None = None) -> Tables:
    """Return nested tables with the values of dotted keys, in a copy of some tables if these are given.

    >>> nest({"channel.snr_db": 20}, onto={"channel": {"pilots": 1}})
    {'channel': {'pilots': 1, 'snr_db': 20}}
    """
    tables: Tables = {key: dict(value) if isinstance(value, dict) else value for key, value in (onto or {}).items()}
    for key, value in values.items():
        *table, leaf = key.split(".")
        (tables.setdefault(table[0], {}) if table else tables)[leaf] = value
    return tables


IN_PLACE = {"channel.symbol_snr_db": "channel.snr_db"}
"""Dotted keys that say the same as another one in another unit, with that key."""


def fields() -> dict[str, FieldInfo]:
    """Return the pydantic field of every scenario key, by dotted key; keys of the figure are left out."""
    flat: dict[str, FieldInfo] = {}
    for key, field in Settings.model_fields.items():
        leaves = KEY_TABLES[key].model_fields if key in KEY_TABLES else {}
        flat |= {f"{key}.{leaf}": of_leaf for leaf, of_leaf in leaves.items()} or {key: field}
    return flat


def alternatives(given: Mapping[str, Value]) -> set[str]:
    """Return the keys that say in another unit what given keys say; keys whose value is None are not given.

    >>> alternatives({"channel.snr_db": 20})
    {'channel.symbol_snr_db'}
    """
    pairs = (both for pair in IN_PLACE.items() for both in (pair, pair[::-1]))
    return {other for key, other in pairs if given.get(key) is not None}


def require_known(key: str, known: Collection[str]) -> None:
    """Refuse an unknown scenario key, and propose the nearest known one."""
    if key not in known:
        elsewhere = [other for other in known if last_part(other) == last_part(key)]
        close = elsewhere or difflib.get_close_matches(key, known, n=1, cutoff=0.5)
        raise OtaflError("scenario key", key, f"unknown key{f'; did you mean {close[0]!r}?' if close else ''}")


def quantity(name: str) -> Quantity:
    """Return the quantity of a variable, a coordinate or a swept key: its name in words, unit and symbol.

    >>> quantity("snr_db").unit
    'dB'
    """
    if variable := VARIABLES.get(name) or COORDINATES.get(name):
        return variable
    of_name = [field for key, field in fields().items() if name in (last_part(key), key.replace(".", "_"))]
    metadata = (entry for field in of_name for entry in field.metadata)
    return next((entry for entry in metadata if isinstance(entry, Quantity)), Quantity(name.replace("_", " ")))


Validated = TypeVar("Validated", bound=BaseModel)


def validated(model: type[Validated], tables: Mapping[str, Value], strip: str = "", under: str = "") -> Validated:
    """Return an instance of a pydantic class from nested tables, or raise the first refusal as an ``OtaflError``."""
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        details = error.errors()
    key = _dotted(details[0], strip)
    rules = " or ".join(detail["msg"] for detail in details if _dotted(detail, strip) == key)
    plain = rules.replace("Value error, ", "").replace("Input should be", "must be").replace("or must", "or")
    plain = plain.replace("a valid boolean", "true or false")
    raise OtaflError(under + key, details[0]["input"], plain)


def _dotted(detail: ErrorDetails, strip: str) -> str:
    """Return the scenario key of a refusal; pydantic's own path where there is none."""
    path = ".".join(map(str, detail["loc"])).removeprefix(strip)
    leaf = ".".join(path.split(".")[:2])
    return leaf if leaf in fields() else path
