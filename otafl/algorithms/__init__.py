"""The methods by name: one paper per file of this folder, each with what its methods read and cannot do."""

import importlib
import pkgutil

from otafl.algorithms.method import METHODS, Method
from otafl.errors import UnknownName
from otafl.settings.keys import bandwidth_factor

__all__ = ["METHODS", "Method", "parse"]

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")


def parse(name: str) -> tuple[Method, int]:
    """A method, and the factor on the number of subcarriers that its name asks for, as in "D-FADMM-10x".

    Raises:
        UnknownName: no such method.
    """
    base, factor = bandwidth_factor(name)
    if base not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor
