"""Common functions of executors, which draw inputs of iterations, compute these, and return states."""

import math
from typing import Any

import numpy as np

from otafl.engine.group import Group
from otafl.engine.iteration import ROW

Measured = dict[str, np.ndarray]
"""Values of iterations, by the names of variables, [iterations, runs] each, and where workers train "worker_epochs",
the epochs of those that are computed, [iterations, workers, runs]."""


def scatter(executor: Any) -> None:
    """Start every run from its workers' own models and duals, where ``algorithm.start`` is "random"."""
    group = executor.group
    if group.settings.algorithm.start == "random":
        executor.set_states([group.scattered(run, state) for run, state in enumerate(executor.states())])


def named(group: Group, table: np.ndarray) -> Measured:
    """Return the metrics of iterations by their names, such as "loss".

    Numbers of local epochs that are known beforehand replace the measured ones.

    Returns:
        Values by metric, [iterations, runs] each, and "worker_epochs", [iterations, workers, runs].
    """
    names = (*ROW, *(one.name for one in group.form.metrics))
    found: Measured = dict(zip(names, table, strict=False))
    if group.trains:
        found["worker_epochs"] = np.moveaxis(table[len(names) :], 0, 1)
    known = group.task.local_epochs
    return found if math.isnan(known) else found | {"local_epochs": np.full_like(found["loss"], known)}
