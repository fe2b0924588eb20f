"""Fixed keys, swept keys and keys of single methods, sorted out of a scenario's tables."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from otafl import algorithms
from otafl.errors import OtaflError
from otafl.metrics.result_variables import RESERVED, VARIABLES
from otafl.scenario import variants
from otafl.scenario.dotted_keys import IN_PLACE, alternatives, fields, flatten, last_part, nest, require_known, without
from otafl.scenario.variants import OfMethods
from otafl.settings.types import Tables, Value, Values

Sweep = dict[str, list[Value]]
FIGURE = "plot."
TABLES = {
    "plot": "must be a table",
    "sweep": "must be a table of dotted keys and lists",
    "per_method": "must be tables of scenario keys, one for each method",
}
"""Tables about the study, with what is said of a value that is none; all others hold keys of runs."""
VECTORS = ("federation.probabilities", "run.metrics", "plugins")
NOT_SWEPT = (
    *("problem.kind", "problem.start"),
    *(f"run.{key}" for key in ("seed", "seeds", "iterations", "record", "evaluate_every")),
    *("run.target_loss", "run.target_accuracy", "run.stop_at"),
    *VECTORS,
)
"""Keys that have one value in a whole study."""
NAMED = {"method": "scheme", "uplink.scheme": "uplink_scheme"}
"""Names of dimensions that differ from the key: ``data.sel(method="A-FADMM")`` has another meaning in xarray."""
VAGUE = ("kind",)
"""Last parts of keys that are too vague for the name of a dimension."""
LISTS = (list, tuple, range)
MOST_POINTS = 10_000
"""Largest number of points of a sweep, each of which is checked beforehand, 10,000 of them in a second or two."""
MOST_RUNS = 100_000


class Flat(NamedTuple):
    """Keys of a scenario as its tables give them, by dotted key: fixed, swept, by method, and of the figure."""

    fixed: Values
    swept: Sweep
    of_methods: OfMethods
    plot: Values

    @property
    def keys(self) -> set[str]:
        return {*self.fixed, *self.swept, *(FIGURE + key for key in self.plot)}

    def tables(self, title: str) -> Tables:
        tables = {"title": title, "plot": self.plot, "sweep": self.swept, "per_method": self.of_methods}
        return tables | nest(self.fixed)


def flat(tables: Mapping[str, Value]) -> Flat:
    """Return the keys of a scenario's tables; their values are unchecked."""
    plot, swept, of_methods = parts = [tables.get(name, {}) for name in TABLES]
    for name, part in zip(TABLES, parts, strict=True):
        below = part.values() if name == "per_method" and isinstance(part, dict) else ()
        if not all(isinstance(table, dict) for table in (part, *below)):
            raise OtaflError(name, part, TABLES[name])
    fixed = flatten(without(tables, {"base", "title", "duration", *TABLES}))
    return Flat(fixed, flatten(swept), {method: flatten(table) for method, table in of_methods.items()}, plot)


def require_few(key: str, values: Value, points: int) -> None:
    """Refuse a sweep of too many points, that is combinations of values of its keys."""
    if points > MOST_POINTS:
        raise OtaflError(key, values, f"makes {points:,} points, but a study can have at most {MOST_POINTS:,}")


def dimensions(sweep: Mapping[str, Value]) -> list[str]:
    """Return the names of swept dimensions: the last part of every key, with its table where that is ambiguous.

    >>> dimensions({"method": ["A-FADMM", "A-GD"], "channel.snr_db": [0, 20]})
    ['scheme', 'snr_db']
    """
    ends = [last_part(key) for key in sweep]
    vague = {end for end in ends if end in VAGUE or ends.count(end) > 1}
    names = [key.replace(".", "_") if last_part(key) in vague else NAMED.get(key, last_part(key)) for key in sweep]
    for key, name in zip(sweep, names, strict=True):
        if name in RESERVED or name in VARIABLES:
            raise OtaflError(f"sweep.{key}", sweep[key], f"cannot be swept: the name {name!r} is reserved in results")
    return names


def swept_and_fixed(given: Flat, overrides: Mapping[str, Value]) -> tuple[Sweep, Values]:
    """Return the swept and the fixed keys of a scenario with their values, overridden ones included."""
    remaining = without(given.swept | given.fixed, alternatives(overrides))
    merged = remaining | {str(key): _plain_value(value) for key, value in overrides.items()}
    for key in merged:
        require_known(key, fields())
    for key in given.swept.keys() & given.fixed.keys():
        raise OtaflError(key, merged[key], f"set both in [{key.split('.')[0]}] and in [sweep]; remove one")
    lists = {
        key: _swept_values(key, value)
        for key, value in merged.items()
        if is_sweep(key, value) or (key in given.swept and key not in overrides)
    }
    return lists, without(merged, lists)


def for_single_methods(of_methods: OfMethods, overrides: Mapping[str, Value]) -> OfMethods:
    """Return the keys of single methods, checked, without keys that are overridden, as an override holds for all."""
    for method, table in of_methods.items():
        algorithms.parse(method)
        for key, value in table.items():
            require_known(key, fields())
            if key in (*NOT_SWEPT, "method"):
                raise OtaflError(f"per_method.{method}", key, "must be the same for all methods")
            if is_sweep(key, value):
                _swept_values(f"per_method.{method}.{key}", value)
    replaced = {*overrides, *alternatives(overrides)}
    return {method: without(table, replaced) for method, table in of_methods.items()}


def of_methods_run(of_methods: OfMethods, methods: Collection[Value], strict: bool) -> OfMethods:
    """Return the tables that are not empty of methods that run, in any variant; strict: refuse those of others."""
    run = {ancestor for method in methods for ancestor in variants.lineage(str(method))}
    for method in of_methods.keys() - run if strict else ():
        raise OtaflError("per_method", method, "must be a method that the scenario runs")
    return {method: table for method, table in of_methods.items() if table and method in run}


def with_variants(swept: Sweep, methods: list[Value], of_methods: OfMethods) -> tuple[Sweep, OfMethods]:
    """Return a sweep and tables of single methods in which each value of a method's list is a variant of the method."""
    lists = {name: [key for key, value in table.items() if is_sweep(key, value)] for name, table in of_methods.items()}
    if not any(lists.values()):
        return swept, of_methods
    names, single = variants.expanded(of_methods, methods, lists)
    _swept_values("method", names)
    ordered = swept if "method" in swept else {"method": names} | swept
    return ordered | {"method": names}, {name: table for name, table in single.items() if table}


def require_one_uplink(swept: Sweep, overrides: Mapping[str, Value], methods: Collection[Value]) -> None:
    """Refuse a sweep over uplinks where a method's name fixes its uplink, and an override where all names do."""
    fixing = [str(method) for method in methods if variants.UPLINK in variants.fixed(str(method))]
    if fixing and variants.UPLINK in swept:
        raise OtaflError(f"sweep.{variants.UPLINK}", swept[variants.UPLINK], f"contradicts method = {fixing[0]!r}")
    if len(fixing) == len(methods) and variants.UPLINK in overrides:
        raise OtaflError(variants.UPLINK, overrides[variants.UPLINK], f"contradicts method = {fixing[0]!r}")


def require_one_unit(given: Mapping[str, Value]) -> None:
    """Refuse a scenario that says the same by two keys, such as "channel.snr_db" and "channel.symbol_snr_db"."""
    for key, other in IN_PLACE.items():
        if given.get(key) is not None and other in given:
            raise OtaflError(key, given[key], f"contradicts {other}: only one of them may be given in a study")


def is_sweep(key: str, value: Value) -> bool:
    """Return True if the value of a key stands for several runs: a list, or a list of lists for a key of lists."""
    several = isinstance(value, LISTS)
    return several and (key not in VECTORS or (bool(value) and isinstance(value[0], LISTS)))


def _plain_value(value: Value, deep: int = 2) -> Value:
    """Return Python's own numbers for NumPy's, also in lists and lists of lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain_value(item, deep - 1) for item in value] if deep and isinstance(value, list | tuple) else value


def _swept_values(key: str, values: Value) -> list[Value]:
    """Return the values of a swept key as a list, which has some, and none of them twice."""
    if not isinstance(values, LISTS) or not values:
        raise OtaflError(f"sweep.{key}", values, "must be a list of at least one value")
    require_few(f"sweep.{key}", values, len(values))
    if any(value is None for value in values):
        raise OtaflError(f"sweep.{key}", values, "must list values; a key is left out by not naming it")
    if any(value in values[:place] for place, value in enumerate(values)):
        raise OtaflError(f"sweep.{key}", values, "must not list a value twice")
    if key in NOT_SWEPT:
        raise OtaflError(f"sweep.{key}", values, "cannot be swept")
    return list(values)
