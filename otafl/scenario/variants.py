"""Variants of methods: with an uplink, "FedAvg@analog", with a label, "FedProx mild", or both.

The keys of a method, ``[per_method.FedProx]``, hold for its variants, unless these have others. A list there makes a
variant of each value: ``"algorithm.rho" = [0.1, 1.0]`` gives "FedProx rho=0.1" and "FedProx rho=1.0".
"""

import itertools
from collections.abc import Collection, Mapping
from typing import Any

from otafl.scenario.dotted_keys import last_part, without

UPLINK = "uplink.kind"
Own = Mapping[str, Mapping[str, Any]]
"""Dotted keys of single methods and variants, by name."""


def lineage(name: str) -> list[str]:
    """Return the method of a variant, the method with its uplink, and the variant itself."""
    head = str(name).split(" ")[0]
    return list(dict.fromkeys((head.split("@")[0], head, name)))


def own(tables: Own, name: str) -> dict[str, Any]:
    """Return the dotted keys of a variant: its method's, then those with its uplink, then its own."""
    found: dict[str, Any] = {}
    for ancestor in lineage(name):
        found |= tables.get(ancestor, {})
    return found


def fixed(name: str) -> dict[str, Any]:
    """Return the dotted keys that the name of a variant stands for."""
    if not isinstance(name, str):  # which is refused where keys are checked
        return {"method": name}
    method, _, uplink = name.split(" ")[0].partition("@")
    return {"method": method} | ({UPLINK: uplink} if uplink else {})


def expanded(tables: Own, methods: Collection[str], lists: Mapping[str, Collection[str]]) -> tuple[list[str], dict]:
    """Return the variants that lists of values make.

    Arguments:
        tables: dotted keys by method.
        methods: methods of the scenario.
        lists: by method, its keys that have a list.

    Returns:
        The names of all variants in place of the methods, and all tables, without lists.
    """
    single = {name: without(table, lists[name]) for name, table in tables.items()}
    names: list[str] = []
    for method in methods:
        swept = {key: own(tables, method)[key] for name in lineage(method) for key in lists.get(name, ())}
        for values in itertools.product(*swept.values()):
            chosen = dict(zip(swept, values, strict=True))
            name = _named(method, chosen)
            names.append(name)
            single |= {name: single.get(name, {}) | chosen} if chosen else {}
    return names, single


def _named(method: str, chosen: Mapping[str, Any]) -> str:
    head, _, label = method.partition(" ")
    uplink = f"@{chosen[UPLINK]}" if UPLINK in chosen else ""
    words = [f"{last_part(key)}={value}" for key, value in chosen.items() if key != UPLINK]
    return " ".join(filter(None, (head + uplink, label, *words)))
