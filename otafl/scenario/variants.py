"""Variants of methods: with an uplink, "FedAvg@analog", with a label, "FedProx mild", or both.

The keys of a method, ``[per_method.FedProx]``, hold for its variants, unless these have others. A list there makes a
variant of each value: ``"algorithm.rho" = [0.1, 1.0]`` gives "FedProx rho=0.1" and "FedProx rho=1.0".
"""

import itertools
from collections.abc import Collection, Mapping

from otafl.scenario.dotted_keys import last_part, without
from otafl.settings.types import Value, Values

UPLINK = "uplink.kind"
OfMethods = dict[str, Values]
"""Values by name of a method or a variant and dotted key."""


def lineage(name: str) -> list[str]:
    """Return the names whose keys hold for a variant of a method, the method's first.

    >>> lineage("FedAvg@analog mild")
    ['FedAvg', 'FedAvg@analog', 'FedAvg@analog mild']
    """
    head = str(name).split(" ")[0]
    return list(dict.fromkeys((head.split("@")[0], head, name)))


def own(tables: OfMethods, name: str) -> Values:
    """Return the keys of a variant: those of its method, then of the method with the uplink, then its own."""
    values: Values = {}
    for ancestor in lineage(name):
        values |= tables.get(ancestor, {})
    return values


def fixed(name: str) -> Values:
    """Return the keys that the name of a variant stands for, by dotted key.

    >>> fixed("FedAvg@analog mild")
    {'method': 'FedAvg', 'uplink.kind': 'analog'}
    """
    if not isinstance(name, str):  # which is refused where keys are checked
        return {"method": name}
    method, _, uplink = name.split(" ")[0].partition("@")
    return {"method": method} | ({UPLINK: uplink} if uplink else {})


def expanded(
    tables: OfMethods, methods: Collection[str], lists: Mapping[str, Collection[str]]
) -> tuple[list[str], OfMethods]:
    """Return the names of the variants that lists of values make of methods, and the tables of all, without lists."""
    single = {name: without(table, lists[name]) for name, table in tables.items()}
    names: list[str] = []
    for method in methods:
        swept = {key: own(tables, method)[key] for name in lineage(method) for key in lists.get(name, ())}
        labelled = single.pop(method, {}) if swept and " " in method else {}
        for values in itertools.product(*swept.values()):
            chosen = dict(zip(swept, values, strict=True))
            name = _named(method, chosen)
            names.append(name)
            single |= {name: labelled | single.get(name, {}) | chosen} if chosen else {}
    return names, single


def _named(method: str, chosen: Mapping[str, Value]) -> str:
    head, _, label = method.partition(" ")
    uplink = f"@{chosen[UPLINK]}" if UPLINK in chosen else ""
    words = [f"{last_part(key)}={value}" for key, value in chosen.items() if key != UPLINK]
    return " ".join(filter(None, (head + uplink, label, *words)))
