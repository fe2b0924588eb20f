"""Methods in variants: over an uplink of their own, "FedAvg@analog", under a label, "FedProx mild", or both.

What holds for a method, ``[per_method.FedProx]``, holds for its variants, too, unless they say otherwise. A list there
makes a variant of each value: ``"algorithm.rho" = [0.1, 1.0]`` those that are called "FedProx rho=0.1" and "FedProx
rho=1.0".
"""

import itertools
from collections.abc import Collection, Mapping
from typing import Any

from otafl.scenario.dotted_keys import last_part, without

UPLINK = "uplink.kind"
Own = Mapping[str, Mapping[str, Any]]
"""Dotted keys of single methods and variants, by name."""


def lineage(name: str) -> list[str]:
    """A variant's method, the same over its uplink, and the variant."""
    head = str(name).split(" ")[0]
    return list(dict.fromkeys((head.split("@")[0], head, name)))


def own(tables: Own, name: str) -> dict[str, Any]:
    """The dotted keys of a variant: what holds for its method, its uplink and itself, the latter first."""
    found: dict[str, Any] = {}
    for ancestor in lineage(name):
        found |= tables.get(ancestor, {})
    return found


def fixed(name: str) -> dict[str, Any]:
    """The dotted keys that a variant's name is short for."""
    if not isinstance(name, str):  # which is refused where keys are checked
        return {"method": name}
    method, _, uplink = name.split(" ")[0].partition("@")
    return {"method": method} | ({UPLINK: uplink} if uplink else {})


def expanded(tables: Own, methods: Collection[str], lists: Mapping[str, Collection[str]]) -> tuple[list[str], dict]:
    """Variants for the lists of methods: their names in the methods' place, and all tables, without a list.

    Arguments:
        tables: of single methods.
        methods: that are run.
        lists: by method, the keys that have a list there.
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
