"""Protocol of an executor, and what all executors have in common."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from otafl.engine.checkpoint import Leaves, Position
from otafl.engine.group import Group
from otafl.engine.inputs import Drawn
from otafl.engine.iteration import ROW

Measured = dict[str, np.ndarray]
"""Values of iterations, by the names of variables, [iterations, runs] each, and where workers train "worker_epochs",
the epochs of those that are computed, [iterations, workers, runs]."""


class Executor(Protocol):
    """Protocol of an executor, which computes the iterations of a group and holds the states of server and workers."""

    group: Group

    def inputs(self, begin: Position | None = None) -> Iterator[Drawn]:
        """Yield the random inputs, from a position (None: the beginning) until all runs are finished."""
        ...

    def advance(self, inputs: Any, pool: ThreadPoolExecutor) -> Measured:
        """Compute the iterations of ``Drawn.inputs``, perhaps on the threads of a pool."""
        ...

    def states(self) -> list[Leaves]:
        """Return every run's arrays of the server, [1, ...], then [workers, ...]; later iterations may change them."""
        ...

    def set_states(self, states: list[Leaves]) -> None:
        """Go on from states of all runs, in the form of ``states``."""


def scatter(executor: Executor) -> None:
    """Start every run from its workers' own models and duals, where ``algorithm.start`` is "random"."""
    group = executor.group
    if group.settings.algorithm.start == "random":
        executor.set_states([group.scattered(run, state) for run, state in enumerate(executor.states())])


def named(group: Group, table: np.ndarray) -> Measured:
    """Return a table [metrics, iterations, runs] by name; epochs known beforehand replace the measured ones."""
    names = (*ROW, *(metric.name for metric in group.form.metrics))
    measured: Measured = dict(zip(names, table, strict=False))
    if group.trains:
        measured["worker_epochs"] = np.moveaxis(table[len(names) :], 0, 1)
    known = group.task.local_epochs
    return measured if math.isnan(known) else measured | {"local_epochs": np.full_like(measured["loss"], known)}
