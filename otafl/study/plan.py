"""Plan of a study: its runs, their names and inputs, and the groups in which they are computed."""

import functools
from dataclasses import dataclass
from typing import Any, TypeAlias

from otafl.data import user_data
from otafl.engine.run_spec import RunSpec, group_key
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import dimensions
from otafl.settings.keys import Settings
from otafl.store.identity import ANEW, Input, inputs_as_imported, run_name
from otafl.study.work import Check
from otafl.user_code import modules

Point: TypeAlias = dict[str, Any]
"""Values of the swept keys at one point of a sweep, by dotted key."""


@dataclass(frozen=True)
class Study:
    """Scenario and its runs, in the order of points of the sweep and, within a point, of seeds.

    A point is a combination of values of the swept keys. Methods take runs by their indices in this order.

    >>> import otafl
    >>> study = Study(otafl.load("quickstart", {"channel.snr_db": [0.0, 10.0], "run.seeds": 3, "method": "A-GD"}))
    >>> study.together([0, 1, 2, 3, 4, 5])
    [[0, 1, 2, 3, 4, 5]]
    >>> study.label([3, 4, 5])
    'A-GD, snr_db 10.0'

    Arguments:
        scenario: ``Scenario`` with settings, swept keys and seeds.
        here: True if this process computes the runs.
    """

    scenario: Scenario
    here: bool = False

    @functools.cached_property
    def points(self) -> list[tuple[Point, Settings]]:
        """Values of the swept keys, by dotted key, and settings of each point of the sweep."""
        return list(self.scenario.points())

    @functools.cached_property
    def columns(self) -> list[RunSpec]:
        """Settings and seed of each run, a ``RunSpec``, in the order of points and seeds."""
        seeds = self.scenario.settings.run.seed_range
        return [RunSpec(settings, seed) for _, settings in self.points for seed in seeds]

    @functools.cached_property
    def names(self) -> list[str]:
        """Names of the runs in a store, beginnings of digests of all that their results depend on."""
        return [run_name(*column, known) for column, known in zip(self.columns, self.inputs, strict=True)]

    @functools.cached_property
    def unseeded(self) -> list[str]:
        """Name that each run would have under seed 0, which runs share that differ in their seeds alone."""
        seeds = len(self.scenario.settings.run.seed_range)
        points = zip(self.columns[::seeds], self.inputs[::seeds], strict=True)
        return [name for column, known in points for name in [run_name(column.settings, 0, known)] * seeds]

    @functools.cached_property
    def inputs(self) -> list[list[Input]]:
        """Inputs of each run beside its keys, such as data and the user's code, as they are at the first access."""
        user_data.anew()
        modules.studies += 1
        known: dict[tuple, list[Input]] = {}
        for column in self.columns:
            if (setup := column.kind) not in known:
                known[setup] = inputs_as_imported(column.settings, self.here)
        return [known[column.kind] for column in self.columns]

    @property
    def anew(self) -> bool:
        """True if some run has code of the user's that no file holds, so that the study is computed each time."""
        return any(ANEW in known for known in self.inputs)

    def together(self, places: list[int]) -> list[list[int]]:
        """Group runs that one program can compute side by side."""
        groups: dict[str, list[int]] = {}
        for place in places:
            groups.setdefault(group_key(self.columns[place]), []).append(place)
        return list(groups.values())

    def setups(self, groups: list[list[int]], by_snr: bool = False) -> list[list[int]]:
        """Return the first group of runs for each combination of data, model, method and channel."""
        first: dict[tuple, list[int]] = {}
        for where in groups:
            column = self.columns[where[0]]
            first.setdefault((*column.kind, by_snr and column.settings.channel.snr_db), where)
        return list(first.values())

    def check(self, groups: list[list[int]]) -> Check:
        return Check([[self.columns[place] for place in where] for where in groups])

    def threads(self, groups: list[list[int]]) -> list[int]:
        """Return the different numbers of threads that groups of runs prescribe; empty if none trains a network."""
        wanted = [self.columns[where[0]].threads for where in groups]
        return list(dict.fromkeys(number for number in wanted if number))

    def label(self, where: list[int]) -> str:
        """Return the method, and the swept keys and seed that some runs share, in words for a progress bar."""
        scenario, plan = self.scenario, self.scenario.settings.run
        chosen = [self.points[place // plan.seeds] for place in where]
        words = [scenario.method_of(chosen[0][0])]
        for key, name in zip(scenario.sweep, dimensions(scenario.sweep), strict=True):
            values = {point[key] for point, _ in chosen}
            words += [f"{name} {values.pop()}"] if len(values) == 1 and key != "method" else []
        seeds = {plan.seed_range[place % plan.seeds] for place in where}
        return ", ".join(words + [f"seed {seed}" for seed in seeds if len(seeds) == 1])
