"""Computation of like runs: from their checkpoints if there are any, with results and new checkpoints in a store."""

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from otafl.engine.checkpoint import Checkpoint
from otafl.engine.group import Group
from otafl.engine.simulate import Listener, simulate
from otafl.errors import Remark
from otafl.results.provenance import provenance
from otafl.store.identity import require_unchanged
from otafl.store.result import Result
from otafl.store.store import Store
from otafl.study.work import Run

KEEP_EVERY_S = 120.0
"""Time between two checkpoints [s]."""
WRITING_SHARE = 0.05
"""Largest share of the computing time that is spent on writing checkpoints."""
LARGE = 2**30
"""Size [B] above which the last checkpoint of a finished run loses its workers; a smaller one serves a longer run."""


def compute(runs: list[Run], store: Store | None, listener: Listener) -> dict[str, Result]:
    """Compute runs of one group side by side, but for those that another process is computing."""
    if store is None:
        return _computed(runs, None, listener, [None] * len(runs))
    with store.held([run.name for run in runs]) as names:
        mine = [run for run in runs if run.name in names]
        known = {run.name: store.result_of(run.name, run.column.settings.run) for run in mine}
        done = {name: result for name, result in known.items() if result}
        return done | _missing([run for run in mine if run.name not in done], store, listener)


def _missing(runs: list[Run], store: Store, listener: Listener) -> dict[str, Result]:
    """Compute runs that are not in the store, each from its checkpoint if that is on the run's way."""
    begins = {run.name: _checkpoint(run, store) for run in runs}
    starts = {name: begin.start if begin else 0 for name, begin in begins.items()}
    results: dict[str, Result] = {}
    for start in sorted(set(starts.values())):
        alike = [run for run in runs if starts[run.name] == start]
        results |= _computed(alike, store, listener, [begins[run.name] for run in alike])
    return results


def _checkpoint(run: Run, store: Store) -> Checkpoint | None:
    """Return the checkpoint of a run, unless it is beyond the run's end, or at the end without the last readings."""
    settings = run.column.settings
    checkpoint = None if store.start(run.name) > settings.run.iterations else store.checkpoint(run.name)
    if not checkpoint or checkpoint.start < settings.run.iterations:
        return checkpoint
    done = Result(checkpoint.iterations, checkpoint.table, "stopped", {"family": settings.problem.family})
    return checkpoint if done.of(settings.run) else None


def _computed(
    runs: list[Run], store: Store | None, listener: Listener, begin: list[Checkpoint | None]
) -> dict[str, Result]:
    """Compute runs that begin at the same iteration; return their results by name."""
    require_unchanged(runs[0].column.settings, runs[0].inputs)
    where = provenance() | {"family": runs[0].column.settings.problem.family}
    keeper = _Keeper(runs, store, listener, [checkpoint.seconds if checkpoint else 0.0 for checkpoint in begin])
    done = begin[0].start if begin[0] else 0
    group = Group([run.column for run in runs])
    listener.resumed(len(runs) * done)
    curves = simulate(group, keeper, [checkpoint for checkpoint in begin if checkpoint] if done else None)
    seconds, iterations = keeper.seconds, group.settings.run.recorded
    empty = np.full(len(iterations), np.nan)
    results = {}
    for place, (run, outcome) in enumerate(zip(runs, curves.outcomes.tolist(), strict=True)):
        values = {name: rows[place] for name, rows in curves.values.items()} or {"loss": empty, "time_slots": empty}
        results[run.name] = result = Result(iterations, values, outcome, where | {"compute_time": seconds[place]})
        if store and outcome != "stopped":
            with _forgiving():
                store.save(run.name, result)
    return results


@contextlib.contextmanager
def _forgiving() -> Iterator[None]:
    """Remark upon a full or read-only disk in a context, so that the study goes on."""
    try:
        yield
    except OSError as error:
        warnings.warn(f"runs cannot be kept in the store ({error.strerror}); the study goes on", Remark, stacklevel=4)


class _Keeper(Listener):
    """Listener that passes progress on and saves checkpoints, but never over one of a longer run."""

    def __init__(self, runs: list[Run], store: Store | None, listener: Listener, before: list[float]) -> None:
        self.runs, self.store, self.before = runs, store, before
        self.advanced, self.recorded, self.stops = listener.advanced, listener.recorded, listener.stops
        self.began = time.monotonic()
        self.due = self.began + KEEP_EVERY_S

    @property
    def seconds(self) -> list[float]:
        """Computing time of each run so far [s]; like runs share the time equally."""
        share = (time.monotonic() - self.began) / len(self.runs)
        return [before + share for before in self.before]

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
            kept, kind = checkpoint._replace(seconds=seconds), "state"
            if ends and not self.stops() and checkpoint.size > LARGE:
                self.store.path(run.name, "state").unlink(missing_ok=True)
                kept, kind = kept.at_server, "model"
            with _forgiving():
                self.store.save_checkpoint(run.name, kept, kind)
        took = time.monotonic() - began
        self.due = time.monotonic() + max(KEEP_EVERY_S, took / WRITING_SHARE)
