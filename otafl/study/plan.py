"""The plan of a study: every point of its sweep and every seed is a run, and like runs go together."""

import functools
from dataclasses import dataclass
from typing import Any

from otafl.data import user_data
from otafl.engine.run_spec import RunSpec, group_key
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import dimensions
from otafl.settings.keys import Settings
from otafl.store.identity import Input, inputs, of_session, run_name
from otafl.study.task import Check
from otafl.user_code import loaded


@dataclass(frozen=True)
class Study:
    """A scenario and its runs, in the order of points and seeds.

    Arguments:
        scenario: what is studied.
        here: whether this process computes it.
    """

    scenario: Scenario
    here: bool = False

    @functools.cached_property
    def points(self) -> list[tuple[dict[str, Any], Settings]]:
        """The scenario's points, in order."""
        return list(self.scenario.points())

    @functools.cached_property
    def columns(self) -> list[RunSpec]:
        """The runs."""
        return [
            RunSpec(settings, seed) for _, settings in self.points for seed in self.scenario.settings.run.seed_range
        ]

    @functools.cached_property
    def names(self) -> list[str]:
        """The runs' names in a store.

        Raises:
            OtaflError: data that cannot be had.
        """
        return [run_name(*column, known) for column, known in zip(self.columns, self.inputs, strict=True)]

    @functools.cached_property
    def unseeded(self) -> list[str]:
        """Names of the runs but for their seeds: equal ones have the same settings, inputs and version."""
        seeds = len(self.scenario.settings.run.seed_range)
        points = zip(self.columns[::seeds], self.inputs[::seeds], strict=True)
        return [name for one, known in points for name in [run_name(one.settings, 0, known)] * seeds]

    @functools.cached_property
    def inputs(self) -> list[list[Input]]:
        """Inputs of each run beside its keys, as they are when this is asked for first.

        Raises:
            OtaflError: data that cannot be had.
        """
        user_data.anew()
        loaded.anew()
        known: dict[tuple, list[Input]] = {}
        for column in self.columns:
            if (setup := _setup(column.settings)) not in known:
                known[setup] = [*inputs(column.settings), *of_session(column.settings, self.here)]
        return [known[_setup(column.settings)] for column in self.columns]

    def together(self, places: list[int]) -> list[list[int]]:
        """The runs at some places by what can be computed side by side."""
        groups: dict[str, list[int]] = {}
        for place in places:
            groups.setdefault(group_key(self.columns[place]), []).append(place)
        return list(groups.values())

    def setups(self, groups: list[list[int]], by_snr: bool = False) -> list[list[int]]:
        """Return the groups of runs that are the first of their data, model, method and channel, and if wanted SNR."""
        first: dict[tuple, list[int]] = {}
        for where in groups:
            settings = self.columns[where[0]].settings
            first.setdefault((*_setup(settings), by_snr and settings.channel.snr_db), where)
        return list(first.values())

    def check(self, groups: list[list[int]]) -> Check:
        """What is to be found out of some groups of runs before they are computed."""
        return Check([[self.columns[place] for place in where] for where in groups])

    def threads(self, groups: list[list[int]]) -> list[int]:
        """How many threads operations have in some groups of runs, in order; of none that trains networks: empty."""
        wanted = [self.columns[where[0]].threads for where in groups]
        return list(dict.fromkeys(number for number in wanted if number))

    def label(self, where: list[int]) -> str:
        """What the runs at some places have in common: the method, and swept keys of which they have one value."""
        scenario, plan = self.scenario, self.scenario.settings.run
        chosen = [self.points[place // plan.seeds] for place in where]
        words = [scenario.method_of(chosen[0][0])]
        for key, name in zip(scenario.sweep, dimensions(scenario.sweep), strict=True):
            values = {point[key] for point, _ in chosen}
            words += [f"{name} {values.pop()}"] if len(values) == 1 and key != "method" else []
        seeds = {plan.seed_range[place % plan.seeds] for place in where}
        return ", ".join(words + [f"seed {seed}" for seed in seeds if len(seeds) == 1])


def _setup(settings: Settings) -> tuple:
    """What decides, beside the SNR, whether a run can be set up, and how long its iterations take."""
    local = settings.local.model_copy(update={"learning_rate": None})
    channel = settings.channel.model_copy(update={"snr_db": None})
    trains = local, settings.run.precision, settings.run.worker_chunk, settings.run.threads
    return settings.method, settings.problem, settings.federation, settings.uplink, settings.cell, channel, *trains
