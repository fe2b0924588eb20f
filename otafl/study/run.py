"""Running a study: its groups one after the other, with progress, and with what is done kept when the user stops."""

import contextlib
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import xarray as xr

from otafl.engine import simulate as engine
from otafl.errors import Remark
from otafl.study.curves import StudyCurves
from otafl.study.plan import Study

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


class Stopped(KeyboardInterrupt):
    """A study that was interrupted; ``data`` is its result so far, of which some runs have the outcome "stopped"."""

    def __init__(self, data: xr.Dataset) -> None:
        super().__init__("stopped")
        self.data = data


def run(
    study: Study,
    progress: Progress | None = None,
    earlier: xr.Dataset | None = None,
    keep: Callable[[xr.Dataset], Any] | None = None,
) -> xr.Dataset:
    """Run all groups, one after the other.

    Arguments:
        study: what to run.
        progress: listens.
        earlier: an earlier result of it, whose runs are not done again unless they were stopped.
        keep: is given the result so far after every group that trains networks, and when the user interrupts.

    Raises:
        Stopped: the user interrupted.
    """
    curves = StudyCurves(study)
    if earlier is not None:
        curves.resume_from(earlier)
        kept = int((curves.outcomes != "stopped").sum())
        warnings.warn(f"{kept} of {len(curves.outcomes)} runs are taken up from an earlier start", Remark, stacklevel=3)
    try:
        with _first_interrupt() as asked:
            _run(study, curves, progress or _nobody, keep, asked)
    except KeyboardInterrupt:
        data = curves.dataset()
        if keep and data["time_slots"].notnull().any():
            keep(data)
        raise Stopped(data) from None
    return curves.dataset()


@contextlib.contextmanager
def _first_interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, to be heeded between rounds; a second one interrupts at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler

    def note(*_: Any) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _run(
    study: Study,
    curves: StudyCurves,
    progress: Progress,
    keep: Callable[[xr.Dataset], Any] | None,
    asked: threading.Event,
) -> None:
    total, before = sum(group.work for group, _ in study.groups), 0
    for group, where in study.groups:
        tell = _Tally(progress, study.label(where), before, total, asked)
        tell.advanced(0, "starting")
        before += group.work
        if curves.complete(where):
            continue
        outcome = engine.simulate(group, tell)
        curves.put(outcome, where)
        if outcome.interrupted:
            raise KeyboardInterrupt
        if keep and group.trains and before < total:
            keep(curves.dataset())
    progress("done", total, total)


def _nobody(label: str, done: int, total: int) -> None:
    """Listens to nothing."""


@dataclass
class _Tally(engine.Listener):
    """Adds a group's progress up for the listener, and heeds the user's wish to stop."""

    progress: Progress
    label: str
    done: int
    total: int
    asked: threading.Event

    def advanced(self, iterations: int, standing: str) -> None:
        self.done += iterations
        self.progress(", ".join(filter(None, (self.label, standing))), self.done, self.total)

    def stops(self) -> bool:
        return self.asked.is_set()
