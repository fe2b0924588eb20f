"""Run of a study: results in the store are read, an engine computes the missing runs, and progress is reported."""

import contextlib
import itertools
import signal
import threading
import warnings
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import xarray as xr

from otafl.errors import Remark
from otafl.results.summary import remarks
from otafl.study import engines
from otafl.study.directory import Directory
from otafl.study.engines.engine import POLL_S, TRIES, Engine, StudyContext
from otafl.study.manifest import digest
from otafl.study.plan import Study
from otafl.study.progress_counter import Progress, ProgressCounter
from otafl.study.progress_file import ProgressNotes
from otafl.study.records import OnRecord, Records
from otafl.study.study_curves import StudyCurves
from otafl.study.work import Answer, Run, Task

LONGEST_WAIT_S = 10.0
"""Longest time between two looks for runs that other processes compute [s]."""


class Stopped(KeyboardInterrupt):
    """Interrupt of a study by the user, with its result so far, ``kept`` if results or checkpoints allow to go on."""

    def __init__(self, data: xr.Dataset, kept: bool) -> None:
        super().__init__("stopped")
        self.data, self.kept = data, kept


def run(
    study: Study,
    progress: Progress | None = None,
    directory: Directory | None = None,
    engine: Engine | None = None,
    on_record: OnRecord | None = None,
) -> xr.Dataset:
    """Run a study: read the results that are there, and compute the others."""
    curves = StudyCurves(study, Records(study, on_record) if on_record else None)
    engine = engine or engines.engine(processes=0)
    if directory:
        directory.lend()
        taken = 0 if directory.recomputes else curves.take(directory.shared)
        if taken:
            warnings.warn(f"{taken} of {len(study.columns)} runs are there already", Remark, stacklevel=3)
    with _first_interrupt() as asked:
        notes = ProgressNotes(directory.runs) if directory else None
        tally = ProgressCounter(study, len(curves.missing), progress, asked, notes)
        campaign = _Campaign(curves, directory, engine, tally)
        with campaign.prepared(), directory.opened() if directory else contextlib.nullcontext():
            try:
                campaign.run()
            except KeyboardInterrupt:
                kept = directory is not None and directory.begun
                if directory and not kept:
                    directory.clear()
                raise Stopped(curves.dataset(), kept) from None
            data = curves.dataset().assign_attrs(runs=digest(study.names))
            for remark in remarks(data):
                warnings.warn(remark, Remark, stacklevel=3)
            return directory.finish(data) if directory else data


@contextlib.contextmanager
def _first_interrupt() -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C, SIGTERM or SIGHUP sets; the same again, or Ctrl-C, interrupts at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def note(number: int, _: Any) -> None:
        asked.set()
        for again in (number, signal.SIGINT):
            signal.signal(again, signal.default_int_handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


class _Campaign:
    """Missing runs of a study, handed to an engine task by task until all have ended."""

    def __init__(
        self, curves: StudyCurves, directory: Directory | None, engine: Engine, tally: ProgressCounter
    ) -> None:
        self.curves, self.study, self.directory = curves, curves.study, directory
        self.engine, self.tally = engine, tally
        self.names = self.study.names  # read first: the check loads data, and a function of the user's is called once
        self.pending: dict[tuple, deque[list[int]]] = {}
        self._queue(self.study.together(curves.missing))
        self.running: dict[int, list[int]] = {}
        self.failures: Counter[int] = Counter()
        self.numbers = itertools.count()
        self.idle = 0

    @contextlib.contextmanager
    def prepared(self) -> Iterator[None]:
        """Start the engine and check that all missing runs can be set up, for the time of a context."""
        if not self.waiting:
            yield
            return
        study, groups, tally = self.study, [where for queue in self.pending.values() for where in queue], self.tally
        folder, threads = self.directory.runs if self.directory else None, study.threads(groups)
        try:
            record = self.curves.records and self.curves.records.under_way
            self.engine.begin(StudyContext(tally.advance, tally.asked, len(groups), threads, folder, record))
            answer = self.engine.check(study.check(study.setups(groups, by_snr=True)))
            for remark in dict.fromkeys(answer.heeded().remarks):
                warnings.warn(remark, Remark, stacklevel=2)
            yield
        finally:
            self.engine.end()

    def run(self) -> None:
        """Compute the missing runs; KeyboardInterrupt if the user asked to stop, once tasks under way have ended."""
        self._keep([place for place in range(len(self.study.columns)) if place not in self.curves.missing])
        asked = self.tally.asked.is_set
        while self.waiting or self.running:
            while self.waiting and self.engine.free and not asked():
                self._submit(self._next())
            if asked() and not self.running:
                break
            for task, answer in self.engine.ended():
                self._end(self.running.pop(task.number), answer)
                self.tally.ended(task, len(self.curves.missing))
            if asked():
                self.engine.stop()
        if asked():
            raise KeyboardInterrupt
        self.tally.done(int((self.curves.outcomes == "failed").sum()))

    @property
    def waiting(self) -> int:
        """Number of tasks that no process computes yet."""
        return sum(map(len, self.pending.values()))

    def _queue(self, groups: list[list[int]]) -> None:
        """Put tasks at the end of the queue of their kind, and that queue behind the others."""
        for where in groups:
            kind = self.study.columns[where[0]].kind
            self.pending[kind] = self.pending.pop(kind, deque())
            self.pending[kind].append(where)

    def _next(self) -> list[int]:
        """Take a task of the kind that is computed least now, so that few processes compile the same programs."""
        now = Counter(self.study.columns[where[0]].kind for where in self.running.values())
        return self.pending[min(filter(self.pending.get, self.pending), key=now.__getitem__)].popleft()

    def _submit(self, where: list[int]) -> None:
        """Hand the runs at the given places to the engine; equal runs are computed once."""
        names = {self.names[place]: place for place in where}
        runs = [Run(self.study.columns[place], name, self.study.inputs[place]) for name, place in names.items()]
        task = Task(next(self.numbers), runs, self.directory.shared.folder if self.directory else None)
        self.running[task.number] = where
        self.tally.began(task, self.study.label(where))
        self.engine.submit(task)

    def _end(self, where: list[int], answer: Answer) -> None:
        for remark in answer.remarks:
            warnings.warn(remark, Remark, stacklevel=2)
        if answer.refusal:
            raise answer.refusal
        if answer.failure:
            self._fail(where, answer)
            return
        results = {place: answer.results.get(self.names[place]) for place in where}
        stopped = () if self.tally.asked.is_set() else ("stopped",)
        done = {place: result for place, result in results.items() if result and result.outcome not in stopped}
        for place, result in done.items():
            self.curves.put(place, result)
        self._keep([place for place in done if place not in self.curves.missing])
        elsewhere = [place for place in where if place not in done]
        self._queue([elsewhere] if elsewhere else [])
        self._wait(bool(done))

    def _wait(self, progressed: bool) -> None:
        """Wait if other processes compute all runs that are left, longer from time to time."""
        self.idle = 0 if progressed else self.idle + 1
        rounds = self.idle // (self.waiting + len(self.running) + 1)
        if rounds:
            self.tally.asked.wait(min(LONGEST_WAIT_S, POLL_S * 1.5**rounds))

    def _fail(self, where: list[int], answer: Answer) -> None:
        """Try failed runs again: several in halves, to find the one that fails; a lost one up to TRIES times in all."""
        (place, *others), half = where, len(where) // 2
        self.failures[place] += not others
        if others or (answer.lost and self.failures[place] < TRIES):
            self._queue([where[:half], where[half:]] if others else [where])
            return
        self.curves.outcomes[place] = "failed"
        noted = self.directory.fail(self.names[place], answer.failure) if self.directory else ""
        last, times = answer.failure.strip().splitlines()[-1], f" {TRIES} times" if answer.lost else ""
        warnings.warn(f"{self.study.label([place])} failed{times}: {last}{noted}", Remark, stacklevel=2)

    def _keep(self, places: list[int]) -> None:
        if self.directory:
            self.directory.keep([self.names[place] for place in places])
