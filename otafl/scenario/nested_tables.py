"""Nested tables and the dotted keys that they stand for, such as "channel.snr_db"."""

from collections.abc import Collection, Mapping

from otafl.settings.values import Tables, Value, Values

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
        nested = isinstance(value, dict) and prefix.count(".") < DEEPEST
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
