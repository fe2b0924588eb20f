"""What tests are small with: a regression of few unknowns, whose programs are compiled soon, and methods once each."""

from collections.abc import Container, Iterable
from typing import Any

import pytest

from otafl.algorithms import METHODS
from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.pseudo_labels import PseudoLabels

SMALL = {"problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 300}
DISTINCT = [name for name, one in METHODS.items() if not isinstance(one, PseudoLabels) or name == "FedVRA-U"]
"""Methods that engines could treat differently: all with pseudo labels are alike to them."""
FEDERATED = [name for name in DISTINCT if isinstance(METHODS[name], FederatedMethod)]
DAILY = ("FedAvg", "SCAFFOLD", "FedPD", "FedADMM-InSa", "FedVRA-U", "A-SFADMM")
"""One of each kind: no dual, two vectors, rounds without upload, penalties, pseudo labels, gains as weights."""


def daily(methods: Iterable[str]) -> list[Any]:
    """Return methods as parameters of a test; those that are not DAILY are slow."""
    return some(methods, DAILY)


def some(cases: Iterable[str], chosen: Container[str]) -> list[Any]:
    """Return cases as parameters of a test; those that are not chosen are slow."""
    return [case if case in chosen else pytest.param(case, marks=pytest.mark.slow) for case in cases]
