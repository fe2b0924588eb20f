"""The plan of a study: every point of its sweep and every seed is a run, and like runs go together."""

import functools
import warnings
from dataclasses import dataclass
from typing import Any

from otafl.engine import memory
from otafl.engine.group import Column, Group, group_key
from otafl.errors import Remark
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings


@dataclass(frozen=True)
class Study:
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


def prepare(scenario: Scenario) -> Study:
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
    remarks = (text for group, _ in groups for text in (group.task.remark, memory.remark(group)) if text)
    for remark in dict.fromkeys(remarks):
        warnings.warn(remark, Remark, stacklevel=3)
    return Study(scenario, groups)
