"""Scenarios as results hold them, which another version of otafl may have written.

A key that has another name now is read under that; one that is no more is left out; one that came later has the value
that says what was done before. Files of users are not read so: an unknown key there is a mistake.
"""

from collections.abc import Collection, Mapping
from typing import Any

from otafl.scenario.dotted import RENAMED, fields, flatten, last_part, nest
from otafl.scenario.file import tables
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import HEADINGS, flat_per_method, flat_sweep, plot_table, without
from otafl.settings.keys import Plot

BEFORE = {"uplink.symbols_per_slot": "as_printed"}
"""What was done before there were some keys, where that is not their default."""


def parse_stored(name: str, text: str, file: str) -> Scenario:
    """The scenario of a result, from the text of its TOML.

    Arguments:
        name: the scenario's.
        text: what its ``to_toml`` gave.
        file: the name or path that it was loaded from.

    Raises:
        OtaflError: it is not TOML, or breaks a rule of this version.
    """
    stored = tables(text, name)
    of_methods = flat_per_method(stored.get("per_method", {}))
    before = {key: value for key, value in BEFORE.items() if key not in _keys(stored)}
    current = {
        "title": stored.get("title", ""),
        "plot": _current(plot_table(stored), Plot.model_fields),
        "sweep": _current(flat_sweep(stored.get("sweep", {})), fields()),
        "per_method": {method: _current(table, fields()) for method, table in of_methods.items()},
        **nest(before | _current(flatten(without(stored, HEADINGS)), fields())),
    }
    return Scenario.from_tables(name, current, {}, file, asked=())


def removed_keys(text: str) -> list[str]:
    """The dotted keys of a stored scenario that are no more.

    Raises:
        OtaflError: it is not TOML, or its tables are none.
    """
    stored = tables(text, "result")
    plot = {f"plot.{key}" for key in plot_table(stored) if key not in Plot.model_fields}
    return sorted(plot | {key for key in _keys(stored) if RENAMED.get(key, key) not in fields()})


def renamed_dimensions(text: str) -> dict[str, str]:
    """Dimensions of a result whose swept key has another name now, with that name, from its stored scenario."""
    swept = flat_sweep(tables(text, "result").get("sweep", {}))
    names = {last_part(key): last_part(RENAMED[key]) for key in swept if key in RENAMED}
    return {old: new for old, new in names.items() if old != new}


def _keys(stored: Mapping[str, Any]) -> set[str]:
    """The dotted keys that runs of a stored scenario are given."""
    of_methods = flat_per_method(stored.get("per_method", {}))
    return {*flatten(without(stored, HEADINGS)), *flat_sweep(stored.get("sweep", {}))}.union(*of_methods.values())


def _current(values: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Values under the names that their keys have now, without those of keys that are no more."""
    renamed = {RENAMED.get(key, key): value for key, value in values.items()}
    return {key: value for key, value in renamed.items() if key in known}
