"""Runs that go together, computed: from their checkpoints where there are some, with their results left in a store."""

import time
import warnings
from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np

from otafl.engine.checkpoint import Checkpoint
from otafl.engine.group import Group
from otafl.engine.schedule import recorded
from otafl.engine.simulate import Listener, simulate
from otafl.errors import Remark
from otafl.results.file import provenance
from otafl.store.store import Result, Store
from otafl.study.task import Run

KEEP_EVERY_S = 120.0
"""Seconds between two checkpoints."""
WRITING_SHARE = 0.05
"""Most of the time that goes into writing checkpoints."""
LARGE = 2**30
"""Bytes from which on the last checkpoint of a run that has come to its end is not kept for a longer one."""


def compute(runs: list[Run], store: Store | None, listener: Listener) -> dict[str, Result]:
    """The results of those of some runs that go together that nobody else is computing, by name.

    The outcome of those that the listener stopped is "stopped".
    """
    if store is None:
        return _computed(runs, None, listener, [None] * len(runs))
    with store.held([run.name for run in runs]) as names:
        mine = [run for run in runs if run.name in names]
        known = {run.name: store.result_of(run.name, run.column.settings.run) for run in mine}
        found = {name: result for name, result in known.items() if result}
        return found | _missing([run for run in mine if run.name not in found], store, listener)


def _missing(runs: list[Run], store: Store, listener: Listener) -> dict[str, Result]:
    """The results of runs that are not in the store, from their checkpoints on."""
    kept = [_within(store.checkpoint(run.name), run.column.settings.run.iterations) for run in runs]
    pairs = sorted(zip(runs, kept, strict=True), key=lambda pair: _start(pair[1]))
    found: dict[str, Result] = {}
    for _, same in groupby(pairs, key=lambda pair: _start(pair[1])):
        some, begin = zip(*same, strict=True)
        found |= _computed(list(some), store, listener, list(begin))
    return found


def _within(checkpoint: Checkpoint | None, iterations: int) -> Checkpoint | None:
    """A checkpoint, unless it is beyond the end of a run."""
    return checkpoint if checkpoint and checkpoint.start <= iterations else None


def _start(checkpoint: Checkpoint | None) -> int:
    return checkpoint.start if checkpoint else 0


def _computed(runs: list[Run], store: Store | None, listener: Listener, begin: list) -> dict[str, Result]:
    """Results of runs that begin at the same iteration."""
    started, done = time.perf_counter(), _start(begin[0])
    group = Group([run.column for run in runs])
    listener.advanced(len(runs) * done, "")
    curves = simulate(group, _Keeper(runs, store, listener), begin if done else None)
    info = provenance() | {"compute_time": (time.perf_counter() - started) / len(runs)}
    iterations = recorded(group.settings.run)
    empty = np.full(len(iterations), np.nan)
    results = {}
    for place, (run, outcome) in enumerate(zip(runs, curves.outcomes.tolist(), strict=True)):
        values = {name: rows[place] for name, rows in curves.values.items()} or {"loss": empty, "time_slots": empty}
        results[run.name] = result = Result(iterations, values, outcome, info)
        if store and outcome != "stopped":
            _try(store.save, run.name, result)
    return results


def _try(save: Callable[[str, Any], None], name: str, what: Any) -> None:
    """Keep something of a run; where that cannot be, a remark says so and the study goes on."""
    try:
        save(name, what)
    except OSError as error:
        warnings.warn(f"runs cannot be kept in the store ({error.strerror}); the study goes on", Remark, stacklevel=2)


class _Keeper(Listener):
    """Passes on what a simulation tells, and keeps its checkpoints."""

    def __init__(self, runs: list[Run], store: Store | None, listener: Listener) -> None:
        self.runs, self.store = runs, store
        self.advanced, self.stops = listener.advanced, listener.stops
        self.due = time.monotonic() + KEEP_EVERY_S

    def keep(self, checkpoints: Callable[[], list[Checkpoint]], ends: bool) -> None:
        began = time.monotonic()
        if not self.store or (began < self.due and not ends):
            return
        for run, checkpoint in zip(self.runs, checkpoints(), strict=True):
            if ends and not self.stops() and checkpoint.size > LARGE:
                self.store.drop_checkpoint(run.name)
            else:
                _try(self.store.save_checkpoint, run.name, checkpoint)
        took = time.monotonic() - began
        self.due = time.monotonic() + max(KEEP_EVERY_S, took / WRITING_SHARE)
