"""Scenarios that name a base and hold only what differs from it.

``base`` is a scenario's name, or a path relative to the file that names it. The derived file has the last word on every
key that it holds, as the command line has: a key that it fixes replaces a sweep of the base, one that it sweeps
replaces a fixed value, and either goes for all methods, also for those of which the base's ``per_method`` says
otherwise. Tables for methods that the derived scenario does not run are dropped. All else is the base's.
"""

from collections.abc import Collection, Mapping
from typing import Any

from otafl.scenario.dotted_keys import fields, flatten, nest, require_known, without
from otafl.scenario.sweeps import HEADINGS, flat_per_method, flat_sweep, plot_table
from otafl.scenario.variants import lineage


def derived(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a scenario: those of its base, with its own in their place.

    Raises:
        OtaflError: an unknown key, or a table that is none.
    """
    fixed, swept = _fixed(own), flat_sweep(own.get("sweep", {}))
    tables = {
        "title": own.get("title", base.get("title", "")),
        "duration": own.get("duration", ""),
        "plot": plot_table(base) | plot_table(own),
        "sweep": without(flat_sweep(base.get("sweep", {})), fixed) | swept,
        **nest(without(_fixed(base), swept) | fixed),
    }
    return tables | {"per_method": _for_single_methods(base, own, {*fixed, *swept}, _methods(tables))}


def _fixed(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The dotted keys outside the tables that are about the study."""
    fixed = flatten(without(tables, HEADINGS))
    for key in fixed:
        require_known(key, fields())
    return fixed


def _methods(tables: Mapping[str, Any]) -> list[Any]:
    """The methods that some tables run; empty where they leave it to the default."""
    methods = tables["sweep"].get("method", tables.get("method", []))
    return methods if isinstance(methods, list) else [methods]


def _for_single_methods(
    base: Mapping[str, Any], own: Mapping[str, Any], replaced: Collection[str], methods: list[Any]
) -> dict[str, dict[str, Any]]:
    """The tables for single methods: the base's of methods that are run, without replaced keys, and then the own."""
    of_base = flat_per_method(base.get("per_method", {}))
    run = {ancestor for method in methods for ancestor in lineage(str(method))}
    kept = {method: without(table, replaced) for method, table in of_base.items() if method in run}
    tables = flat_per_method(own.get("per_method", {}))
    return {method: kept.get(method, {}) | tables.get(method, {}) for method in {**kept, **tables}}
