"""Scenarios that name a base and hold only what differs from it.

The derived file has the last word on every key that it holds, as the command line has. A fixed key replaces a sweep of
the base, and a sweep a fixed key; so does a key that says the same in another unit. Both hold for all methods, also
where the base's ``per_method`` has other values. Tables for methods that the derived scenario does not run are dropped.
"""

from collections.abc import Mapping

from otafl.scenario.dotted_keys import alternatives, fields, require_known
from otafl.scenario.nested_tables import without
from otafl.scenario.sweeps import Flat, dimensions, flat, of_methods_run
from otafl.settings.plot import changed
from otafl.settings.values import Tables, Value


def derived(base: Mapping[str, Value], given: Mapping[str, Value]) -> Tables:
    """Return the tables of a scenario that has a base, the keys that it gives in place of the base's."""
    before, after = flat(base), flat(given)
    for key in (*before.fixed, *after.fixed):
        require_known(key, fields())
    others = alternatives(after.fixed | after.swept)
    swept = without(before.swept, {*after.fixed, *others}) | after.swept
    fixed = without(before.fixed, {*after.swept, *others}) | after.fixed
    methods = swept.get("method", fixed.get("method", []))
    of_base = of_methods_run(before.of_methods, methods if isinstance(methods, list) else [methods], strict=False)
    replaced = {*after.fixed, *after.swept, *others}
    of_methods = {
        method: without(of_base.get(method, {}), replaced) | after.of_methods.get(method, {})
        for method in {**of_base, **after.of_methods}
    }
    plot = changed(before.plot, after.plot, dimensions(before.swept), dimensions(swept))
    tables = Flat(fixed, swept, of_methods, plot).tables(given.get("title", base.get("title", "")))
    return tables | {"duration": given.get("duration", "")}
