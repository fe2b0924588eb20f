"""Running a study: what is in the store is taken from there, the rest computed, group by group, with progress."""

import contextlib
import functools
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import xarray as xr

from otafl.engine.simulate import Listener
from otafl.errors import Remark
from otafl.results import file
from otafl.store.store import Store
from otafl.study.check import check
from otafl.study.compute import Run, compute
from otafl.study.curves import StudyCurves
from otafl.study.directory import Directory
from otafl.study.plan import Study

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


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
    if store:
        _take(curves, study, store)
    if curves.missing:
        check(study)
    with directory.opened() if directory else contextlib.nullcontext():
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
        found = store.result(name)
        known = found.of(column.settings.run) if found else None
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

    def begin(self, label: str, done: int) -> None:
        """Runs begin; so many iterations of others are done."""
        self.label, self.done = label, done
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
    iterations = study.scenario.settings.run.iterations
    tally.total = len(study.columns) * iterations
    for where in study.together(curves.missing):
        tally.begin(study.label(where), tally.total - len(curves.missing) * iterations)
        names = [study.names[place] if store else str(place) for place in where]
        runs = [Run(study.columns[place], name) for place, name in zip(where, names, strict=True)]
        found = compute(runs, store, tally)
        for place, name in zip(where, names, strict=True):
            curves.put(place, found[name])
        if any(result.outcome == "stopped" for result in found.values()):
            raise KeyboardInterrupt
        keep(names)
    tally.progress("done", tally.total, tally.total)
