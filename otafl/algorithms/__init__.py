"""The methods by name: one paper per file of this folder, each with what its methods read and cannot do."""

import importlib
import pkgutil
import re

from otafl.algorithms.method import METHODS, Method
from otafl.errors import UnknownName

__all__ = ["METHODS", "Method", "parse"]

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")


def parse(name: str) -> tuple[Method, int]:
    """A method, and the factor on the number of subcarriers that its name asks for.

    ``D-FADMM-10x`` is D-FADMM with ten times the subcarriers, the A-FADMM paper's notation.

    Raises:
        UnknownName: no such method.
    """
    match = re.fullmatch(r"(.+?)(?:-([1-9]\d*)x)?", name)
    base, factor = (match[1], int(match[2] or 1)) if match else (name, 1)
    if base not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor
