"""The methods by name. A method is a file of pure functions around ``init`` and ``step``; one paper per file.

This table is all that a scenario needs to be checked, so it imports no method: ``load`` does, when a run starts.
"""

import importlib
import re
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from otafl.errors import UnknownName

UplinkKind = Literal["analog", "digital", "ideal"]


@dataclass(frozen=True)
class Method:
    """What is fixed about a method before it runs.

    Arguments:
        module: the file in this folder that holds its ``init`` and ``step``.
        uplink: the uplink that carries it.
        learning_rate: the default of ``local.learning_rate``; None where the method has no such parameter.
        downlinks: the downlinks it can work with.
        residuals: whether it has primal and dual residuals.
        problem: the kind of problem it is meant for.
        one_batch: whether a round is one mini-batch and no local training.
    """

    module: str
    uplink: UplinkKind
    learning_rate: float | None = None
    downlinks: tuple[str, ...] = ("digital",)
    residuals: bool = False
    problem: str = "linear_regression"
    one_batch: bool = False

    def load(self) -> ModuleType:
        """Import the module with ``init`` and ``step``."""
        return importlib.import_module(f"otafl.algorithms.{self.module}")


METHODS = {
    "A-FADMM": Method("fadmm", "analog", downlinks=("digital", "analog"), residuals=True),
    "D-FADMM": Method("fadmm", "digital", residuals=True),
    "A-GD": Method("gradient_descent", "analog", learning_rate=1e-4),
    "D-GD": Method("gradient_descent", "digital", learning_rate=1e-4),
    "A-SFADMM": Method("fadmm", "analog", learning_rate=1e-2, residuals=True, problem="classification"),
    "D-SFADMM": Method("fadmm", "digital", learning_rate=1e-2, residuals=True, problem="classification"),
    "A-SGD": Method("gradient_descent", "analog", learning_rate=5e-3, problem="classification", one_batch=True),
    "D-SGD": Method("gradient_descent", "digital", learning_rate=5e-3, problem="classification", one_batch=True),
}


def parse(name: str) -> tuple[Method, int]:
    """A method's entry, and the factor on the number of subcarriers that its name asks for.

    ``D-FADMM-10x`` is D-FADMM with ten times the subcarriers, the A-FADMM paper's notation.
    """
    match = re.fullmatch(r"(.+?)(?:-([1-9]\d*)x)?", name)
    base, factor = (match[1], int(match[2] or 1)) if match else (name, 1)
    if base not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor
