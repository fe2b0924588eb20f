"""Scenario keys by dotted name, such as "channel.snr_db"."""

import difflib
from collections.abc import Collection, Mapping

from pydantic.fields import FieldInfo

from otafl.errors import OtaflError
from otafl.scenario.nested_tables import last_part
from otafl.settings.keys import KEY_TABLES, Settings
from otafl.settings.values import Value

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
