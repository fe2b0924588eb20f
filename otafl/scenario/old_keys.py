"""Scenario keys and values of earlier versions, and their present names."""

import warnings
from collections.abc import Collection, Mapping
from typing import Any

from otafl.errors import OtaflError, Remark
from otafl.scenario import sweeps
from otafl.scenario.dotted_keys import RENAMED, nest
from otafl.schemes import SCHEMES

VALUES = {
    "uplink.precoder": (
        "uplink.scheme",
        {
            "fading": "inversion",
            "average_inversion": "BAA",
            "phase_only": "full_power",
            "optimal_power": "MMSE",
            "cotaf": "COTAF",
            "one_bit": "OBDA",
            "compressed": "CA-DSGD",
        },
        {"channel_inversion": "inversion", "truncated_inversion": "truncation", "phase_compensation": "full_power"},
    ),
}
"""Keys of which some values belong to another key now: that key, these values, and substitutes for the rest of a
list."""


def moved(*tables: Mapping[str, Any]) -> frozenset[str]:
    """Return the dotted keys that have a value which belongs to another key in this version.

    An example is "uplink.precoder" with "cotaf", now "COTAF" of "uplink.scheme".

    Arguments:
        tables: dictionaries of values, or lists of values, by dotted key.
    """
    given = ((key, value) for table in tables for key, value in table.items() if key in VALUES)
    return frozenset(key for key, value in given if not VALUES[key][1].keys().isdisjoint(_texts(value)))


def current(values: Mapping[str, Any], gone: Collection[str] = (), remark: bool = False) -> dict[str, Any]:
    """Return dotted keys and their values under their names in this version.

    Arguments:
        values: values, or lists of values, by dotted key.
        gone: keys of which other tables of the scenario have values that belong to another key now.
        remark: warn the user of each old name.

    Raises:
        OtaflError: a key is given under both of its names.
    """
    gone, made = {*moved(values), *gone}, dict[str, Any]()
    for key, value in values.items():
        now, found = _current(str(key), value, remark, key in gone)
        if now in made:
            raise OtaflError(str(key), value, f"{now} is given under another name, too; leave one of them out")
        made[now] = found
    return made


def current_tables(
    tables: Mapping[str, Any], gone: Collection[str], remark: bool = False, known: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the tables of a scenario with keys and values under their names in this version.

    Arguments:
        tables: TOML tables, nested dictionaries.
        gone: dotted keys with values that belong to another key now, result of ``moved``.
        remark: warn the user of each old name.
        known: dotted keys to keep; None: all.

    Raises:
        OtaflError: a key is given under both of its names, or a table has another form.
    """
    flat = sweeps.flat(tables)
    now = [current(table, gone, remark) for table in flat]
    kept = [{key: value for key, value in table.items() if known is None or key in known} for table in now]
    return {name: value for name, value in tables.items() if name in sweeps.HEADINGS} | {
        "plot": figure(sweeps.plot_table(tables), flat[1]),
        "sweep": kept[1],
        "per_method": dict(zip(tables.get("per_method", {}), kept[2:], strict=True)),
        **nest(kept[0]),
    }


def _current(key: str, value: Any, remark: bool, gone: bool) -> tuple[str, Any]:
    now, found = RENAMED.get(key, key), value
    if gone:
        now, found = _translated(key, value)
    if remark and now != key:
        warnings.warn(f"{key} = {value!r}: is {now} = {found!r} now", Remark, stacklevel=2)
    return now, found


def _translated(key: str, value: Any) -> tuple[str, Any]:
    """Return the present key and value for those of an earlier version."""
    other, names, beside = VALUES[key]
    if isinstance(value, list | tuple):
        return other, [_named(one, names | beside) for one in value]
    return other, _named(value, names | beside)


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """Return the value of today for one of an earlier version, which may be no text."""
    return names.get(value, value) if isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    """Return a value, or the values of a list, if these are texts."""
    several = value if isinstance(value, list | tuple) else [value]
    return [one for one in several if isinstance(one, str)]


def before(parts: Mapping[str, Any], precoder: str | None) -> dict[str, Any]:
    """Return the parts of a run's uplink under the keys of earlier versions, so that runs computed by these are found.

    Arguments:
        parts: names of the parts that are not the default ones, by key of the table ``uplink``.
        precoder: name of the precoder that the run would have if its scenario named none; None: none.

    Returns:
        Names of parts by key; empty where earlier versions named none.
    """
    if parts == {"precoder": precoder}:
        return {}
    if parts == {"compressor": "qsgd"}:
        return {"quantiser": "qsgd"}
    _, names, _ = VALUES["uplink.precoder"]
    found = next((old for old, scheme in names.items() if SCHEMES[scheme].parts == parts), None)
    return {"precoder": found} if found else dict(parts)


def keys(names: Collection[str], gone: Collection[str]) -> set[str]:
    """Return dotted keys under their names in this version.

    Arguments:
        names: dotted keys, of this or an earlier version.
        gone: keys with values that belong to another key now, result of ``moved``.
    """
    return {VALUES[key][0] if key in gone else RENAMED.get(key, key) for key in names}


def dimensions(swept: Mapping[str, Any]) -> dict[str, str]:
    """Return the present names of a result's renamed dimensions, by their old names.

    Arguments:
        swept: values of each swept key of the result, by dotted key.

    Returns:
        Present name by old name, such as {"quantiser": "compressor"}.
    """
    names = zip(sweeps.dimensions(swept), sweeps.dimensions(current(swept)), strict=True)
    return {old: new for old, new in names if old != new}


def figure(plot: Mapping[str, Any], swept: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario's table ``plot``, whose panels have the present name of their dimension.

    Arguments:
        plot: values by key of the table.
        swept: values of each swept key, by dotted key.
    """
    asked = plot.get("panels")
    return dict(plot) | ({"panels": dimensions(swept).get(asked, asked)} if isinstance(asked, str) else {})
