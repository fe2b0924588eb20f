"""The methods by name: one paper per file of this folder, each with what its methods read and cannot do."""

import importlib
import pkgutil
import re

from otafl.algorithms.method import METHODS, Method
from otafl.errors import UnknownName
from otafl.settings import user_keys
from otafl.settings.keys import bandwidth_factor

__all__ = ["METHODS", "Method", "parse"]

VARIANT = re.compile(r"[^@ ]+(@[^@ ]+)?( .*[^ ])?")
"""A method, its uplink and its label."""

with user_keys.rebuilt_once("algorithm"):
    for _found in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{_found.name}")


def parse(name: str) -> tuple[Method, int]:
    """A method, and the factor on the number of subcarriers that its name asks for, as in "D-FADMM-10x"; of which
    variant it is, as in "FedAvg@analog" or "FedProx mild", is left aside.

    Raises:
        UnknownName: no such method.
    """
    base, factor = bandwidth_factor(name)
    if base not in METHODS or not VARIANT.fullmatch(name):
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor
