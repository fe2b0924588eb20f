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
from otafl.store.identity import require_unchanged
from otafl.store.result import Result
from otafl.store.store import Store
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
    kept = [_within(store, run) for run in runs]
    pairs = sorted(zip(runs, kept, strict=True), key=lambda pair: _start(pair[1]))
    found: dict[str, Result] = {}
    for _, same in groupby(pairs, key=lambda pair: _start(pair[1])):
        some, begin = zip(*same, strict=True)
        found |= _computed(list(some), store, listener, list(begin))
    return found


def _within(store: Store, run: Run) -> Checkpoint | None:
    """A run's checkpoint, unless it is beyond its end."""
    return store.checkpoint(run.name) if store.start(run.name) <= run.column.settings.run.iterations else None


def _start(checkpoint: Checkpoint | None) -> int:
    return checkpoint.start if checkpoint else 0


def _computed(runs: list[Run], store: Store | None, listener: Listener, begin: list) -> dict[str, Result]:
    """Results of runs that begin at the same iteration.

    Raises:
        OtaflError: an input is not what it was when the runs were named, before or after.
    """
    require_unchanged(runs[0].column.settings, runs[0].inputs)
    done, keeper = _start(begin[0]), _Keeper(runs, store, listener, [one.seconds if one else 0.0 for one in begin])
    group = Group([run.column for run in runs])
    listener.resumed(len(runs) * done)
    curves = simulate(group, keeper, begin if done else None)
    seconds, where = keeper.seconds, provenance()
    iterations = recorded(group.settings.run)
    empty = np.full(len(iterations), np.nan)
    results = {}
    for place, (run, outcome) in enumerate(zip(runs, curves.outcomes.tolist(), strict=True)):
        values = {name: rows[place] for name, rows in curves.values.items()} or {"loss": empty, "time_slots": empty}
        results[run.name] = result = Result(iterations, values, outcome, where | {"compute_time": seconds[place]})
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
    """Passes on what a simulation tells, and keeps its checkpoints, but for those of longer runs.

    Arguments:
        before: seconds that each run had taken when it went on.
    """

    def __init__(self, runs: list[Run], store: Store | None, listener: Listener, before: list[float]) -> None:
        self.runs, self.store, self.before = runs, store, before
        self.advanced, self.stops = listener.advanced, listener.stops
        self.began = time.monotonic()
        self.due = self.began + KEEP_EVERY_S

    @property
    def seconds(self) -> list[float]:
        """Seconds that each run has taken so far; those that go together share the time."""
        share = (time.monotonic() - self.began) / len(self.runs)
        return [one + share for one in self.before]

    def keep(self, checkpoints: Callable[[], list[Checkpoint]], ends: bool) -> None:
        began = time.monotonic()
        if not ends and (not self.store or began < self.due):
            return
        require_unchanged(self.runs[0].column.settings, self.runs[0].inputs)
        if not self.store:
            return
        for run, checkpoint, seconds in zip(self.runs, checkpoints(), self.seconds, strict=True):
            if self.store.start(run.name) > run.column.settings.run.iterations:
                continue
            if ends and not self.stops() and checkpoint.size > LARGE:
                self.store.drop_checkpoint(run.name)
            else:
                _try(self.store.save_checkpoint, run.name, checkpoint._replace(seconds=seconds))
        took = time.monotonic() - began
        self.due = time.monotonic() + max(KEEP_EVERY_S, took / WRITING_SHARE)
