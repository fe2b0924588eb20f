"""Scenarios that name a base and hold only what differs from it.

``base`` is a scenario's name, or a path relative to the file that names it. The derived file has the last word on every
key that it holds, as the command line has. A fixed key replaces a sweep of the base, and a sweep replaces a fixed key.
So does a key that says the same in another unit.
Both hold for all methods, also where the base's ``per_method`` has other values. Tables for methods that the derived
scenario does not run are dropped. All else is the base's.
"""

from collections.abc import Collection, Mapping

from otafl.scenario.dotted_keys import alternatives, fields, flatten, nest, require_known, without
from otafl.scenario.sweeps import HEADINGS, dimensions, flat_per_method, flat_sweep, plot_table
from otafl.scenario.variants import lineage
from otafl.settings.plot import changed
from otafl.settings.types import Tables, Value


def derived(base: Mapping[str, Value], given: Mapping[str, Value]) -> Tables:
    """Return the tables of a scenario that has a base, the keys that it gives in place of the base's."""
    fixed, swept = _fixed(given), flat_sweep(given.get("sweep", {}))
    others = alternatives(fixed | swept)
    before = flat_sweep(base.get("sweep", {}))
    after = without(before, {*fixed, *others}) | swept
    tables = {
        "title": given.get("title", base.get("title", "")),
        "duration": given.get("duration", ""),
        "plot": changed(plot_table(base), plot_table(given), dimensions(before), dimensions(after)),
        "sweep": after,
        **nest(without(_fixed(base), {*swept, *others}) | fixed),
    }
    return tables | {"per_method": _for_single_methods(base, given, {*fixed, *swept, *others}, _methods(tables))}


def _fixed(tables: Mapping[str, Value]) -> Tables:
    """Return the dotted keys of runs that are fixed, not swept."""
    fixed = flatten(without(tables, HEADINGS))
    for key in fixed:
        require_known(key, fields())
    return fixed


def _methods(tables: Mapping[str, Value]) -> list[Value]:
    """Return the methods that some tables run; none where these leave it to the default."""
    methods = tables["sweep"].get("method", tables.get("method", []))
    return methods if isinstance(methods, list) else [methods]


def _for_single_methods(
    base: Mapping[str, Value], given: Mapping[str, Value], replaced: Collection[str], methods: list[Value]
) -> dict[str, Tables]:
    """Return tables of single methods: the base's for methods that run, without replaced keys, then those given."""
    of_base = flat_per_method(base.get("per_method", {}))
    run = {ancestor for method in methods for ancestor in lineage(str(method))}
    remaining = {method: without(table, replaced) for method, table in of_base.items() if method in run}
    tables = flat_per_method(given.get("per_method", {}))
    return {method: remaining.get(method, {}) | tables.get(method, {}) for method in {**remaining, **tables}}
