"""Fixed keys, swept keys and keys of single methods, sorted out of a scenario's tables."""

from collections.abc import Collection, Mapping
from typing import Any

from otafl import algorithms
from otafl.errors import OtaflError
from otafl.metrics.variables import RESERVED, VARIABLES
from otafl.scenario import variants
from otafl.scenario.dotted_keys import IN_PLACE, alternatives, fields, flatten, last_part, require_known, without

HEADINGS = ("title", "duration", "plot", "sweep", "per_method")
"""Names of the tables about the study; all others hold keys of runs."""
NOT_SWEPT = (
    "problem.kind",
    "run.seed",
    "run.seeds",
    "run.iterations",
    "run.record",
    "run.evaluate_every",
    "run.metrics",
    "run.target_loss",
    "run.target_accuracy",
    "federation.probabilities",
    "plugins",
)
"""Keys that have one value in a whole study."""
VECTORS = ("federation.probabilities", "run.metrics", "plugins")
"""Keys whose value is a list."""
NAMED = {"method": "scheme", "uplink.scheme": "uplink_scheme"}
"""Names of dimensions that differ from the key: ``data.sel(method="A-FADMM")`` has another meaning in xarray."""
VAGUE = ("kind",)
"""Last parts of keys that are too vague for the name of a dimension."""
LISTS = (list, tuple, range)
"""Types of lists of values."""
MOST_POINTS = 10_000
"""Largest number of points of a sweep. Each point has a row in the summary, and is checked beforehand, 10,000 of them
in a second or two."""
MOST_RUNS = 100_000
"""Largest number of runs of a study."""


def require_few(key: str, values: Any, points: int) -> None:
    """Refuse a sweep of too many points, that is combinations of values of its keys.

    Arguments:
        key: key that the message names, such as "sweep.channel.snr_db".
        values: its values, for the message.
        points: number of points.

    Raises:
        OtaflError: there are more than 10,000 (MOST_POINTS).
    """
    if points > MOST_POINTS:
        rule = f"makes {points:,} points, but a study can have at most {MOST_POINTS:,}"
        raise OtaflError(key, values, rule)


def require_few_runs(seeds: int, points: int) -> None:
    """Refuse a study of too many runs.

    Arguments:
        seeds: number of seeds.
        points: number of points of its sweep, each of which has a run for every seed.

    Raises:
        OtaflError: there are more than 100,000 (MOST_RUNS).
    """
    if seeds * points > MOST_RUNS:
        rule = f"makes {seeds * points:,} runs, but a study can have at most {MOST_RUNS:,}; use fewer seeds"
        raise OtaflError("run.seeds", seeds, rule)


def dimensions(sweep: Mapping[str, Any]) -> list[str]:
    """Return the names of swept dimensions: the last part of every key, with its table where that is ambiguous.

    Arguments:
        sweep: values by dotted key.

    Returns:
        Names in the order of the keys, such as ["scheme", "snr_db"]; "scheme" is the dimension of methods.

    Raises:
        OtaflError: a key ends like a name that every result has.
    """
    ends = [last_part(key) for key in sweep]
    vague = {end for end in ends if end in VAGUE or ends.count(end) > 1}
    last = [key.replace(".", "_") if last_part(key) in vague else NAMED.get(key, last_part(key)) for key in sweep]
    for key, name in zip(sweep, last, strict=True):
        if name in RESERVED or name in VARIABLES:
            raise OtaflError(f"sweep.{key}", sweep[key], f"cannot be swept: the name {name!r} is reserved in results")
    return last


def swept_and_fixed(
    sweep: Any, tables: Mapping[str, Any], overrides: Mapping[str, Any]
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the swept and the fixed keys of a scenario, each with its values.

    Overrides replace keys of the tables, also keys that say the same in another unit. A list sweeps its key, wherever
    it stands.

    Arguments:
        sweep: the scenario's table ``sweep``.
        tables: its tables of keys, nested.
        overrides: values by dotted key.

    Returns:
        Lists of values by swept dotted key, and values by fixed dotted key.

    Raises:
        OtaflError: a key is unknown, stands twice, or cannot be swept.
    """
    swept, given = flat_sweep(sweep), flatten(tables)
    kept = without(swept | given, alternatives(overrides))
    merged = kept | {str(key): _plain_value(value) for key, value in overrides.items()}
    for key in merged:
        require_known(key, fields())
    for key in swept.keys() & given.keys():
        raise OtaflError(key, merged[key], "must be given in [sweep] or in its table, not in both")
    lists = {
        key: _swept_values(key, value)
        for key, value in merged.items()
        if is_sweep(key, value) or (key in swept and key not in overrides)
    }
    return lists, {key: value for key, value in merged.items() if key not in lists}


def flat_sweep(sweep: Any) -> dict[str, Any]:
    """Return a scenario's table ``sweep`` as values by dotted key, not yet checked.

    Arguments:
        sweep: the table, whose keys may be dotted or nested.

    Raises:
        OtaflError: the sweep is not a table.
    """
    if not isinstance(sweep, dict):
        raise OtaflError("sweep", sweep, "must be a table of dotted keys and lists")
    return flatten(sweep)


def flat(tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the keys of a scenario's tables: fixed keys, swept keys, and those of each single method.

    Arguments:
        tables: TOML tables of the scenario, nested dictionaries.

    Returns:
        List of dictionaries, values by dotted key: fixed, swept, then one for each method in ``per_method``.

    Raises:
        OtaflError: a table has another form.
    """
    of_methods = flat_per_method(tables.get("per_method", {})).values()
    return [flatten(without(tables, HEADINGS)), flat_sweep(tables.get("sweep", {})), *of_methods]


def plot_table(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario's table ``plot``, empty where there is none.

    Arguments:
        tables: TOML tables of the scenario, nested dictionaries.

    Raises:
        OtaflError: it is not a table.
    """
    plot = tables.get("plot", {})
    if not isinstance(plot, dict):
        raise OtaflError("plot", plot, "must be a table")
    return plot


def flat_per_method(tables: Any) -> dict[str, dict[str, Any]]:
    """Return a scenario's table ``per_method``, the keys of single methods, as values by method and dotted key.

    Arguments:
        tables: the table, by method.

    Raises:
        OtaflError: these are not tables.
    """
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise OtaflError("per_method", tables, "must be tables of scenario keys, one for each method")
    return {method: flatten(table) for method, table in tables.items()}


def for_single_methods(tables: Any, overrides: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the keys of single methods, as values by method and dotted key, without keys that are overridden.

    An override of a key holds for all methods.

    Arguments:
        tables: the scenario's table ``per_method``.
        overrides: values by dotted key.

    Raises:
        OtaflError: a method or key is unknown, or a key must be the same for all methods.
    """
    own = flat_per_method(tables)
    for method, table in own.items():
        algorithms.parse(method)
        for key in table:
            _check_own(method, key, table[key])
    replaced = {*overrides, *alternatives(overrides)}
    return {method: without(table, replaced) for method, table in own.items()}


def _check_own(method: str, key: str, value: Any) -> None:
    require_known(key, fields())
    if key in (*NOT_SWEPT, "method"):
        raise OtaflError(f"per_method.{method}", key, "must be the same for all methods")
    if is_sweep(key, value):
        _swept_values(f"per_method.{method}.{key}", value)


def of_methods_run(own: dict[str, dict[str, Any]], methods: Collection[Any], strict: bool) -> dict[str, dict[str, Any]]:
    """Return the tables of single methods that are not empty and whose methods run, in any variant.

    A variant is a method with an uplink or a label, such as "FedAvg@analog" or "FedProx mild".

    Arguments:
        own: values by method and dotted key.
        methods: names of the methods that the scenario runs.
        strict: refuse tables of methods that do not run.

    Raises:
        OtaflError: there is such a table, and ``strict`` is True.
    """
    run = {ancestor for method in methods for ancestor in variants.lineage(str(method))}
    for method in own.keys() - run if strict else ():
        raise OtaflError("per_method", method, "must be a method that the scenario runs")
    return {method: table for method, table in own.items() if table and method in run}


def with_variants(
    swept: dict[str, list[Any]], methods: list[Any], own: dict[str, dict[str, Any]]
) -> tuple[dict[str, list[Any]], dict[str, dict[str, Any]]]:
    """Return a sweep and tables of single methods in which each value of a method's list is a variant of the method.

    Of {"FedProx": {"algorithm.rho": [0.1, 1.0]}} the variants are "FedProx rho=0.1" and "FedProx rho=1.0".

    Arguments:
        swept: lists of values by dotted key.
        methods: names of the methods that the scenario runs.
        own: values, or lists of values, by method and dotted key.

    Returns:
        The sweep, whose methods are the variants, and values by variant or method and dotted key.

    Raises:
        OtaflError: two variants are the same.
    """
    lists = {name: [key for key, value in table.items() if is_sweep(key, value)] for name, table in own.items()}
    if not any(lists.values()):
        return swept, own
    names, single = variants.expanded(own, methods, lists)
    swept = {"method": names} | swept if "method" not in swept else swept | {"method": names}
    _swept_values("method", names)
    return swept, {name: table for name, table in single.items() if table}


def require_one_uplink(swept: Mapping[str, list[Any]], overrides: Mapping[str, Any], methods: Collection[Any]) -> None:
    """Refuse a sweep over uplinks where a method's name fixes its uplink, and an override where all names do.

    Arguments:
        swept: values by dotted key.
        overrides: values by dotted key.
        methods: names of the scenario's methods, such as "FedAvg@analog".

    Raises:
        OtaflError: there are methods of that kind.
    """
    own = [str(method) for method in methods if variants.UPLINK in variants.fixed(str(method))]
    if own and variants.UPLINK in swept:
        raise OtaflError(f"sweep.{variants.UPLINK}", swept[variants.UPLINK], f"contradicts method = {own[0]!r}")
    if len(own) == len(methods) and variants.UPLINK in overrides:
        raise OtaflError(variants.UPLINK, overrides[variants.UPLINK], f"contradicts method = {own[0]!r}")


def require_one_unit(given: Mapping[str, Any]) -> None:
    """Refuse a scenario that says the same by two keys, such as "channel.snr_db" and "channel.symbol_snr_db".

    Arguments:
        given: values of all its keys, fixed, swept and of single methods, by dotted key.

    Raises:
        OtaflError: there are two such keys.
    """
    for key, other in IN_PLACE.items():
        if given.get(key) is not None and other in given:
            raise OtaflError(key, given[key], f"contradicts {other}: only one of them may be given in a study")


def is_sweep(key: str, value: Any) -> bool:
    """Return True if the value of a key stands for several runs: a list, or a list of lists for a key that takes lists.

    Arguments:
        key: dotted key.
        value: its value in a scenario or an override.
    """
    several = isinstance(value, LISTS)
    return several and (key not in VECTORS or (bool(value) and isinstance(value[0], LISTS)))


def _plain_value(value: Any, deep: int = 2) -> Any:
    """Return Python's own numbers for NumPy's, also in lists and lists of lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain_value(one, deep - 1) for one in value] if deep and isinstance(value, list | tuple) else value


def _swept_values(key: str, values: Any) -> list[Any]:
    """Return the values of a swept key as a list.

    Raises:
        OtaflError: these are not a list, none, or the same value twice.
    """
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
