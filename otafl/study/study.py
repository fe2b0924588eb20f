"""From a scenario to its dataset: every point of the sweep and every seed is a run, and like runs go together."""

import contextlib
import functools
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from otafl.engine import simulate as engine
from otafl.engine.group import Column, Group, group_key
from otafl.engine.schedule import recorded
from otafl.errors import Remark
from otafl.results import file
from otafl.scenario.keys import Settings
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import dimensions

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


class Stopped(KeyboardInterrupt):
    """A study that was interrupted; ``data`` is its result so far, of which some runs have the outcome "stopped"."""

    def __init__(self, data: xr.Dataset) -> None:
        super().__init__("stopped")
        self.data = data


@dataclass(frozen=True)
class Sweep:
    """A scenario with its runs in groups, data loaded.

    Arguments:
        scenario: what is run.
        groups: the runs by group, each with its places in the order of points and seeds.
    """

    scenario: Scenario
    groups: list[tuple[Group, list[int]]]

    @functools.cached_property
    def points(self) -> list[tuple[dict[str, Any], Settings]]:
        """The scenario's points, in order."""
        return list(self.scenario.points())

    def label(self, where: list[int]) -> str:
        """What the runs at some places have in common: the method, and swept keys of which they have one value."""
        scenario, plan = self.scenario, self.scenario.settings.run
        chosen = [self.points[place // plan.seeds] for place in where]
        words = [chosen[0][1].method]
        for key in scenario.sweep:
            values = {point[key] for point, _ in chosen}
            words += [f"{key.split('.')[-1]} {values.pop()}"] if len(values) == 1 and key != "method" else []
        seeds = {plan.seed_range[place % plan.seeds] for place in where}
        return ", ".join(words + [f"seed {seed}" for seed in seeds if len(seeds) == 1])


def prepare(scenario: Scenario) -> Sweep:
    """Group a scenario's runs and load their data.

    Raises:
        OtaflError: data that cannot be loaded, or dealt to so many workers, or a model that cannot be trained.
    """
    plan = scenario.settings.run
    columns = [Column(settings, seed) for _, settings in scenario.points() for seed in plan.seed_range]
    places: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        places.setdefault(group_key(column), []).append(place)
    groups = [(Group([columns[at] for at in where]), where) for where in places.values()]
    for remark in dict.fromkeys(group.task.remark for group, _ in groups if group.task.remark):
        warnings.warn(remark, Remark, stacklevel=3)
    return Sweep(scenario, groups)


def run(
    sweep: Sweep,
    progress: Progress | None = None,
    begun: xr.Dataset | None = None,
    keep: Callable[[xr.Dataset], Any] | None = None,
) -> xr.Dataset:
    """Run all groups, one after the other.

    Arguments:
        sweep: what to run.
        progress: listens.
        begun: an earlier result of it, whose runs are not done again unless they were stopped.
        keep: is given the result so far after every group that trains networks, and when the user interrupts.

    Raises:
        Stopped: the user interrupted.
    """
    curves = _Curves(sweep)
    if begun is not None:
        curves.take_up(begun)
        kept = int((curves.outcomes != "stopped").sum())
        warnings.warn(f"{kept} of {len(curves.outcomes)} runs are taken up from an earlier start", Remark, stacklevel=3)
    try:
        with _first_interrupt() as asked:
            _run(sweep, curves, progress or _nobody, keep, asked)
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
    sweep: Sweep,
    curves: "_Curves",
    progress: Progress,
    keep: Callable[[xr.Dataset], Any] | None,
    asked: threading.Event,
) -> None:
    total, before = sum(group.work for group, _ in sweep.groups), 0
    for group, where in sweep.groups:
        tell = _Tally(progress, sweep.label(where), before, total, asked)
        tell(0, "starting")
        before += group.work
        if curves.complete(where):
            continue
        outcome = engine.simulate(group, tell)
        curves.enter(outcome, where)
        if outcome.interrupted:
            raise KeyboardInterrupt
        if keep and group.trains and before < total:
            keep(curves.dataset())
    progress("done", total, total)


def _nobody(label: str, done: int, total: int) -> None:
    """Listens to nothing."""


@dataclass
class _Tally:
    """Adds a group's progress up for the listener, and heeds the user's wish to stop."""

    progress: Progress
    label: str
    done: int
    total: int
    asked: threading.Event

    def __call__(self, more: int, standing: str = "") -> None:
        self.done += more
        self.progress(", ".join(filter(None, (self.label, standing))), self.done, self.total)
        if self.asked.is_set():
            raise KeyboardInterrupt


@dataclass
class _Curves:
    """The curves of all runs, NaN and "stopped" where there is nothing yet."""

    sweep: Sweep
    values: dict[str, np.ndarray] = field(init=False)
    outcomes: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        num_runs = sum(len(where) for _, where in self.sweep.groups)
        width = len(recorded(self.sweep.scenario.settings.run))
        self.values = {name: np.full((num_runs, width), np.nan) for name in engine.VARIABLES}
        self.outcomes = np.full(num_runs, "stopped", dtype=object)

    def enter(self, curves: engine.Curves, where: list[int]) -> None:
        """Put a group's curves in their places."""
        for name, values in curves.values.items():
            self.values[name][where] = values
        self.outcomes[where] = curves.outcomes

    def take_up(self, begun: xr.Dataset) -> None:
        """Put an earlier result's curves in their places."""
        self.outcomes[:] = begun["outcome"].values.reshape(-1)
        for name, values in self.values.items():
            if name in begun:
                values[:] = begun[name].values.reshape(values.shape)

    def complete(self, where: list[int]) -> bool:
        """Whether all of some runs have come to their end."""
        return bool((self.outcomes[where] != "stopped").all())

    def dataset(self) -> xr.Dataset:
        """All of it, by swept keys, seed and iteration."""
        scenario, plan = self.sweep.scenario, self.sweep.scenario.settings.run
        keys = zip(dimensions(scenario.sweep), scenario.sweep.values(), strict=True)
        coords = {name: _labels(values) for name, values in keys}
        coords |= {"seed": list(plan.seed_range), "iteration": recorded(plan)}
        shape = [len(values) for values in coords.values()]
        unwanted = {name for name in self.values if name.endswith("residual") and not scenario.has_residuals}
        unwanted |= set() if scenario.classifies else {"test_accuracy"}
        unwanted |= set() if any(group.trains for group, _ in self.sweep.groups) else {"local_epochs"}
        data = {
            name: (list(coords), values.reshape(shape)) for name, values in self.values.items() if name not in unwanted
        }
        data["outcome"] = (list(coords)[:-1], self.outcomes.reshape(shape[:-1]).astype(str))
        return file.described(xr.Dataset(data, coords=coords), scenario)


def _labels(values: list[Any]) -> list[Any]:
    """Swept values as a coordinate: all of them text where one is."""
    return list(map(str, values)) if any(isinstance(value, str) for value in values) else values
