"""Scenarios that name a base and hold only what differs from it.

``base`` is a scenario's name, or a path relative to the file that names it. The derived file has the last word on every
key that it holds, as the command line has. A fixed key replaces a sweep of the base, and a sweep replaces a fixed key.
So does a key that says the same in another unit.
Both hold for all methods, also where the base's ``per_method`` has other values. Tables for methods that the derived
scenario does not run are dropped. All else is the base's.
"""

from collections.abc import Collection, Mapping
from typing import Any

from otafl.scenario.dotted_keys import alternatives, fields, flatten, nest, require_known, without
from otafl.scenario.sweeps import HEADINGS, dimensions, flat_per_method, flat_sweep, plot_table
from otafl.scenario.variants import lineage
from otafl.settings.plot import changed


def derived(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a scenario that has a base, its own keys in place of the base's.

    Arguments:
        base: TOML tables of the base, nested dictionaries.
        own: TOML tables of the scenario itself.

    Returns:
        Nested dictionaries, without keys of methods that do not run.

    Raises:
        OtaflError: a key is unknown, or a table has another form.
    """
    fixed, swept = _fixed(own), flat_sweep(own.get("sweep", {}))
    others = alternatives(fixed | swept)
    before = flat_sweep(base.get("sweep", {}))
    after = without(before, {*fixed, *others}) | swept
    tables = {
        "title": own.get("title", base.get("title", "")),
        "duration": own.get("duration", ""),
        "plot": changed(plot_table(base), plot_table(own), dimensions(before), dimensions(after)),
        "sweep": after,
        **nest(without(_fixed(base), {*swept, *others}) | fixed),
    }
    return tables | {"per_method": _for_single_methods(base, own, {*fixed, *swept, *others}, _methods(tables))}


def _fixed(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dotted keys of runs that are fixed, not swept."""
    fixed = flatten(without(tables, HEADINGS))
    for key in fixed:
        require_known(key, fields())
    return fixed


def _methods(tables: Mapping[str, Any]) -> list[Any]:
    """Return the methods that some tables run; none where these leave it to the default."""
    methods = tables["sweep"].get("method", tables.get("method", []))
    return methods if isinstance(methods, list) else [methods]


def _for_single_methods(
    base: Mapping[str, Any], own: Mapping[str, Any], replaced: Collection[str], methods: list[Any]
) -> dict[str, dict[str, Any]]:
    """Return the tables of single methods: from the base for methods that run, without replaced keys, then the
    scenario's."""
    of_base = flat_per_method(base.get("per_method", {}))
    run = {ancestor for method in methods for ancestor in lineage(str(method))}
    kept = {method: without(table, replaced) for method, table in of_base.items() if method in run}
    tables = flat_per_method(own.get("per_method", {}))
    return {method: kept.get(method, {}) | tables.get(method, {}) for method in {**kept, **tables}}
