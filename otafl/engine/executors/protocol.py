"""What executors have in common: they give the inputs of iterations, do these, and hand over what is kept."""

import math
from typing import Any

import numpy as np

from otafl.engine.group import Group
from otafl.engine.iteration import ROW

Measured = dict[str, np.ndarray]
"""What iterations have measured, by the names of variables, each of shape [iterations, runs]."""


def scatter(executor: Any) -> None:
    """Let every run begin with models and duals of its workers' own, where its settings ask for that."""
    group = executor.group
    if group.settings.algorithm.start == "random":
        executor.set_states([group.scattered(run, state) for run, state in enumerate(executor.states())])


def named(group: Group, table: np.ndarray) -> Measured:
    """ROWs of a table by their names; local epochs that are known beforehand take the place of those measured."""
    found: Measured = dict(zip(ROW, table, strict=True))
    known = group.task.local_epochs
    return found if math.isnan(known) else found | {"local_epochs": np.full_like(found["loss"], known)}
