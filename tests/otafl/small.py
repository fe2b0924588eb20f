"""What tests are small with: a regression of few unknowns, whose programs are compiled soon, and methods once each."""

from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.pseudo_labels import PseudoLabels
from otafl.engine.coherence_blocks import segments
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.settings.keys import Settings

SMALL = {"problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 300}
DISTINCT = [name for name, one in METHODS.items() if not isinstance(one, PseudoLabels) or name == "FedVRA-U"]
"""Methods that engines could treat differently: all with pseudo labels are alike to them."""
FEDERATED = [name for name in DISTINCT if isinstance(METHODS[name], FederatedMethod)]


def dotted(keys: dict[str, Any]) -> dict[str, Any]:
    """Return scenario keys that were given as arguments, as ``channel__snr_db``, by their names."""
    return {key.replace("__", "."): value for key, value in keys.items()}


def chosen(method: str, parts: Mapping[str, Any] = MappingProxyType({}), **keys: Any) -> dict[str, Any]:
    """Return scenario keys of a method over an uplink of some parts; keys without a table are of the uplink."""
    given = {key if "__" in key else f"uplink.{key}": value for key, value in {**parts, **keys}.items()}
    return {"method": method} | dotted(given)


def settings_of(name: str, keys: dict[str, Any]) -> Settings:
    """Return the settings of a scenario, or of its first point."""
    return next(otafl.load(name, keys).points())[1]


def group_of(name: str, keys: dict[str, Any], seeds: Iterable[int] = (0,)) -> Group:
    """Return the runs of all points of a scenario side by side, under the seeds."""
    points = [settings for _, settings in otafl.load(name, keys).points()]
    return Group([RunSpec(settings, seed) for settings in points for seed in seeds])


def costs_of(made: Group, iterations: int) -> np.ndarray:
    """Return what the ledger charges for a group's first iterations. Shape [iterations, entries, runs]."""
    draws = Draws(made)
    return np.concatenate([draws.done(part).costs for part in segments(iterations, made.coherence, 1)])


def some(cases: Iterable[str], chosen: Container[str]) -> list[Any]:
    """Return cases as parameters of a test; those that are not chosen are slow."""
    return [case if case in chosen else pytest.param(case, marks=pytest.mark.slow) for case in cases]
