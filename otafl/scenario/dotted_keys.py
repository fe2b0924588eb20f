"""Dotted scenario keys, such as "channel.snr_db", and the nested tables that they stand for."""

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from otafl.errors import OtaflError
from otafl.settings.keys import Settings
from otafl.settings.types import Table

DEEPEST = 3
"""Largest depth of nested tables, one more than keys of single methods have."""
IN_PLACE: dict[str, str] = {"channel.symbol_snr_db": "channel.snr_db"}
"""Dotted keys that say the same as another one in another unit, with that key."""


def fields() -> dict[str, Any]:
    """Return the pydantic field of every scenario key, by dotted key such as "channel.snr_db".

    Keys of the figure (table ``plot``) are left out.
    """
    flat: dict[str, Any] = {}
    for key, field in Settings.model_fields.items():
        leaves = type(field.default).model_fields if isinstance(field.default, Table) else {}
        flat |= {f"{key}.{leaf}": one for leaf, one in leaves.items()} or {key: field}
    return flat


def last_part(key: str) -> str:
    """Return the name of a scenario key without its table: "snr_db" of "channel.snr_db".

    Arguments:
        key: dotted key.
    """
    return key.split(".")[-1]


def flatten(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of nested tables by dotted key: {"channel.snr_db": 20} of {"channel": {"snr_db": 20}}.

    Arguments:
        tables: nested dictionaries; those nested deeper than any key stay as they are.
        prefix: beginning of the dotted keys, with its dot.
    """
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        nested = isinstance(value, dict) and prefix.count(".") < DEEPEST
        flat |= flatten(value, f"{prefix}{key}.") if nested else {prefix + key: value}
    return flat


def without(table: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    """Return a copy of a table without some of its keys.

    Arguments:
        table: values by key.
        keys: keys to leave out; the table need not have them.
    """
    return {key: value for key, value in table.items() if key not in keys}


def alternatives(given: Mapping[str, Any]) -> set[str]:
    """Return the keys that say in another unit what given keys say.

    Of {"channel.snr_db": 20} they are {"channel.symbol_snr_db"}, and the other way round.

    Arguments:
        given: values by dotted key; keys whose value is None are not given.
    """
    pairs = (both for pair in IN_PLACE.items() for both in (pair, pair[::-1]))
    return {other for key, other in pairs if given.get(key) is not None}


def nest(values: Mapping[str, Any], onto: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return nested tables with the values of dotted keys: {"channel": {"snr_db": 20}} of {"channel.snr_db": 20}.

    Arguments:
        values: values by dotted key.
        onto: tables to begin with, which are copied; None: none.
    """
    tables = {key: dict(value) if isinstance(value, dict) else value for key, value in (onto or {}).items()}
    for key, value in values.items():
        *table, leaf = key.split(".")
        (tables.setdefault(table[0], {}) if table else tables)[leaf] = value
    return tables


def require_known(key: str, known: Collection[str]) -> None:
    """Refuse an unknown scenario key, and propose the nearest known one.

    Arguments:
        key: dotted key.
        known: all known dotted keys.

    Raises:
        OtaflError: the key is unknown.
    """
    if key not in known:
        elsewhere = [other for other in known if last_part(other) == last_part(key)]
        close = elsewhere or difflib.get_close_matches(key, known, n=1, cutoff=0.5)
        raise OtaflError("scenario key", key, f"unknown key{f'; did you mean {close[0]!r}?' if close else ''}")
