"""Federated-learning methods by name: one paper per file of this folder, each with the keys that it reads and its
limits."""

import importlib
import pkgutil
import re

from otafl.algorithms.method import METHODS, Method
from otafl.errors import UnknownName
from otafl.settings import user_keys
from otafl.settings.keys import bandwidth_factor

VARIANT = re.compile(r"[^@ ]+(@[^@ ]+)?( .*[^ ])?")
"""Pattern of a method's name with an uplink and a label, as in "FedAvg@analog mild"."""

with user_keys.rebuilt_once("algorithm"):
    for _module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{_module.name}")


def parse(name: str) -> tuple[Method, int]:
    """Return the method of a name, and the factor on the number of subcarriers that the name asks for.

    The uplink in "FedAvg@analog" and the label in "FedProx mild" are not read.

    >>> method, factor = parse("D-FADMM-10x")
    >>> method.name, factor
    ('D-FADMM', 10)

    Raises:
        UnknownName: no method has that name.
    """
    base, factor = bandwidth_factor(name)
    if base not in METHODS or not VARIANT.fullmatch(name):
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor


def named_in(text: str) -> set[str]:
    """Return the names of the methods that a text contains as words.

    >>> sorted(named_in("FedAvg and FedProx over the air"))
    ['FedAvg', 'FedProx']
    """
    return METHODS.keys() & set(re.findall(r"[\w-]+", text))
