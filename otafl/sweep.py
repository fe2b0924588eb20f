"""From a scenario to its dataset: every point of the sweep and every seed is a run, and like runs go together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from otafl import engine, results
from otafl.group import Column, Group, group_key
from otafl.scenario import Scenario, dimensions
from otafl.schedule import recorded

Progress = Callable[[str, int, int], None]
"""Called with a label of what is running, the iterations done and those to do, summed over runs."""


@dataclass(frozen=True)
class Sweep:
    """A scenario with its runs in groups, data loaded.

    Arguments:
        scenario: what is run.
        groups: the runs by group, each with its places in the order of points and seeds.
    """

    scenario: Scenario
    groups: list[tuple[Group, list[int]]]


def prepare(scenario: Scenario) -> Sweep:
    """Group a scenario's runs and load their data.

    Raises:
        OtaflError: data that cannot be loaded, or dealt to so many workers.
    """
    plan = scenario.settings.run
    columns = [Column(settings, seed) for _, settings in scenario.points() for seed in plan.seed_range]
    places: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        places.setdefault(group_key(column.settings), []).append(place)
    return Sweep(scenario, [(Group([columns[at] for at in where]), where) for where in places.values()])


def run(sweep: Sweep, progress: Progress | None = None) -> xr.Dataset:
    """Run all groups, one after the other."""
    scenario = sweep.scenario
    total = sum(group.work for group, _ in sweep.groups)
    num_runs = sum(len(where) for _, where in sweep.groups)
    curves = {name: np.full((num_runs, len(recorded(scenario.settings.run))), np.nan) for name in engine.VARIABLES}
    before = 0
    for group, where in sweep.groups:
        tell = _Tally(progress, group.settings.method, before, total)
        tell(0)
        for name, values in engine.simulate(group, tell).items():
            curves[name][where] = values
        before += group.work
    if progress:
        progress("done", total, total)
    return _dataset(scenario, curves)


@dataclass
class _Tally:
    """Adds a group's progress up for the listener."""

    progress: Progress | None
    label: str
    done: int
    total: int

    def __call__(self, more: int) -> None:
        self.done += more
        if self.progress:
            self.progress(self.label, self.done, self.total)


def _dataset(scenario: Scenario, curves: dict[str, np.ndarray]) -> xr.Dataset:
    plan = scenario.settings.run
    coords = {
        name: _labels(values) for name, values in zip(dimensions(scenario.sweep), scenario.sweep.values(), strict=True)
    }
    coords |= {"seed": list(plan.seed_range), "iteration": recorded(plan)}
    shape = [len(values) for values in coords.values()]
    data = {
        name: (list(coords), values.reshape(shape))
        for name, values in curves.items()
        if not name.endswith("residual") or scenario.has_residuals
    }
    return results.described(xr.Dataset(data, coords=coords), scenario)


def _labels(values: list[Any]) -> list[Any]:
    """Swept values as a coordinate: all of them text where one is."""
    return list(map(str, values)) if any(isinstance(value, str) for value in values) else values
