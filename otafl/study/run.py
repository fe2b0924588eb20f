"""Running a study: what is in the store is taken from there, the rest computed, group by group, with progress."""

import contextlib
import functools
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import xarray as xr

from otafl.engine.simulate import Listener
from otafl.errors import Remark
from otafl.results import file
from otafl.store.store import Result, Store
from otafl.study.check import check
from otafl.study.compute import Run, compute
from otafl.study.curves import StudyCurves
from otafl.study.directory import Directory
from otafl.study.plan import Study

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


POLL_S = 0.5
"""Seconds between looks at runs that another process computes."""


class Stopped(KeyboardInterrupt):
    """A study that was interrupted; ``data`` is its result so far, of which some runs have the outcome "stopped"."""

    def __init__(self, data: xr.Dataset) -> None:
        super().__init__("stopped")
        self.data = data


def run(
    study: Study, progress: Progress | None = None, store: Store | None = None, directory: Directory | None = None
) -> xr.Dataset:
    """Bring the curves of all runs.

    Arguments:
        study: what to run.
        progress: listens.
        store: has runs that need not be computed, and checkpoints, and gets what is computed.
        directory: where the runs and the result are left; it needs a store.

    Raises:
        OtaflError: a run cannot be set up, or the directory cannot be written.
        Stopped: the user interrupted.
    """
    curves, taken = StudyCurves(study), [] if store is None else study.names
    if store and directory:
        directory.lend(store)
    if store:
        _take(curves, study, store)
    if curves.missing:
        check(study)
    with directory.opened(store) if directory and store else contextlib.nullcontext():
        keep = functools.partial(directory.keep, shared=store) if directory and store else _forget
        keep([name for place, name in enumerate(taken) if place not in curves.missing])
        try:
            with _first_interrupt() as asked:
                _run(study, curves, _Tally(progress or _nobody, asked), store, keep)
        except KeyboardInterrupt:
            data = curves.dataset()
            if directory and data["time_slots"].isnull().all():
                directory.clear()
            raise Stopped(data) from None
        data = curves.dataset()
        return file.save(data, directory.result) if directory else data


def _forget(names: list[str]) -> None:
    """Keeps no runs."""


def _take(curves: StudyCurves, study: Study, store: Store) -> None:
    """Take what a store has."""
    for place, (column, name) in enumerate(zip(study.columns, study.names, strict=True)):
        known = store.result_of(name, column.settings.run)
        if known:
            curves.put(place, known)
    taken = len(study.columns) - len(curves.missing)
    if taken:
        warnings.warn(f"{taken} of {len(study.columns)} runs are there already", Remark, stacklevel=4)


@contextlib.contextmanager
def _first_interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C or SIGTERM sets, to be heeded between rounds; a second one interrupts at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def note(*_: Any) -> None:
        asked.set()
        for number in before:
            signal.signal(number, signal.default_int_handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _nobody(label: str, done: int, total: int) -> None:
    """Listens to nothing."""


@dataclass
class _Tally(Listener):
    """Adds a study's progress up for who listens, and heeds the user's wish to stop."""

    progress: Progress
    asked: threading.Event
    total: int = 0
    done: int = 0
    label: str = ""

    def begin(self, label: str, left: int, iterations: int) -> None:
        """Runs begin; so many are left, these among them, each of so many iterations."""
        self.label, self.done = label, self.total - left * iterations
        self.advanced(0, "starting")

    def advanced(self, iterations: int, standing: str) -> None:
        self.done += iterations
        try:
            self.progress(", ".join(filter(None, (self.label, standing))), self.done, self.total)
        except KeyboardInterrupt:
            self.asked.set()

    def stops(self) -> bool:
        return self.asked.is_set()


def _run(
    study: Study, curves: StudyCurves, tally: _Tally, store: Store | None, keep: Callable[[list[str]], None]
) -> None:
    """Compute what is missing."""
    tally.total = len(study.columns) * study.scenario.settings.run.iterations
    pending, waited = deque(study.together(curves.missing)), 0
    while pending:
        where = pending.popleft()
        tally.begin(study.label(where), sum(map(len, pending)) + len(where), study.scenario.settings.run.iterations)
        found = _of_group(study, where, store, tally)
        for place, result in found.items():
            curves.put(place, result)
        if tally.stops():
            raise KeyboardInterrupt
        keep([study.names[place] for place in found] if store else [])
        elsewhere = [place for place in where if place not in found]
        pending.extend([elsewhere] if elsewhere else [])
        waited = 0 if found else waited + 1
        if waited > len(pending):
            time.sleep(POLL_S)
    tally.progress("done", tally.total, tally.total)


def _of_group(study: Study, where: list[int], store: Store | None, tally: _Tally) -> dict[int, Result]:
    """Results of those of some runs that no other process computes, by their places; equal runs are computed once."""
    names = {place: study.names[place] if store else str(place) for place in where}
    runs = {name: Run(study.columns[place], name) for place, name in names.items()}
    found = compute(list(runs.values()), store, tally)
    return {place: found[name] for place, name in names.items() if name in found}
