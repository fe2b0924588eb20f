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
    """Return the names whose keys hold for a variant of a method, the method's first.

    A variant has an uplink or a label: of "FedAvg@analog mild" the names are FedAvg, FedAvg@analog and the variant
    itself.

    Arguments:
        name: name of the variant.
    """
    head = str(name).split(" ")[0]
    return list(dict.fromkeys((head.split("@")[0], head, name)))


def own(tables: Own, name: str) -> dict[str, Any]:
    """Return the keys of a variant of a method, as values by dotted key.

    Its method's keys come first, then those of the method with the uplink, then its own; later ones replace earlier
    ones.

    Arguments:
        tables: values by method or variant and dotted key.
        name: name of the variant, such as "FedAvg@analog mild".
    """
    found: dict[str, Any] = {}
    for ancestor in lineage(name):
        found |= tables.get(ancestor, {})
    return found


def fixed(name: str) -> dict[str, Any]:
    """Return the keys that the name of a variant stands for, by dotted key.

    Of "FedAvg@analog mild" they are {"method": "FedAvg", "uplink.kind": "analog"}.

    Arguments:
        name: name of the variant.
    """
    if not isinstance(name, str):  # which is refused where keys are checked
        return {"method": name}
    method, _, uplink = name.split(" ")[0].partition("@")
    return {"method": method} | ({UPLINK: uplink} if uplink else {})


def expanded(tables: Own, methods: Collection[str], lists: Mapping[str, Collection[str]]) -> tuple[list[str], dict]:
    """Return the variants of methods that lists of values make.

    Of "FedProx" with the list {"algorithm.rho": [0.1, 1.0]} they are "FedProx rho=0.1" and "FedProx rho=1.0".

    Arguments:
        tables: values, or lists of values, by method or variant and dotted key.
        methods: names of the methods of the scenario.
        lists: by method, its dotted keys that have a list.

    Returns:
        The names of all variants in place of the methods, and all tables, values by name and dotted key, without lists.
    """
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


def _named(method: str, chosen: Mapping[str, Any]) -> str:
    head, _, label = method.partition(" ")
    uplink = f"@{chosen[UPLINK]}" if UPLINK in chosen else ""
    words = [f"{last_part(key)}={value}" for key, value in chosen.items() if key != UPLINK]
    return " ".join(filter(None, (head + uplink, label, *words)))
