"""The curves of a study's runs, put in their places as they come, and the dataset that they make."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from otafl.engine.curves import Curves
from otafl.engine.schedule import recorded
from otafl.results import file
from otafl.scenario.sweeps import dimensions
from otafl.study.plan import Study
from otafl.variables import CURVES


@dataclass
class StudyCurves:
    """The curves of all runs, NaN and "stopped" where there is nothing yet."""

    study: Study
    values: dict[str, np.ndarray] = field(init=False)
    outcomes: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        num_runs = sum(len(where) for _, where in self.study.groups)
        width = len(recorded(self.study.scenario.settings.run))
        self.values = {name: np.full((num_runs, width), np.nan) for name in CURVES}
        self.outcomes = np.full(num_runs, "stopped", dtype=object)

    def put(self, curves: Curves, where: list[int]) -> None:
        """Put a group's curves in their places."""
        for name, values in curves.values.items():
            self.values[name][where] = values
        self.outcomes[where] = curves.outcomes

    def resume_from(self, earlier: xr.Dataset) -> None:
        """Put an earlier result's curves in their places."""
        self.outcomes[:] = earlier["outcome"].values.reshape(-1)
        for name, values in self.values.items():
            if name in earlier:
                values[:] = earlier[name].values.reshape(values.shape)

    def complete(self, where: list[int]) -> bool:
        """Whether all of some runs have come to their end."""
        return bool((self.outcomes[where] != "stopped").all())

    def dataset(self) -> xr.Dataset:
        """All of it, by swept keys, seed and iteration."""
        scenario, plan = self.study.scenario, self.study.scenario.settings.run
        keys = zip(dimensions(scenario.sweep), scenario.sweep.values(), strict=True)
        coords = {name: _labels(values) for name, values in keys}
        coords |= {"seed": list(plan.seed_range), "iteration": recorded(plan)}
        shape = [len(values) for values in coords.values()]
        present = [name for name in CURVES if name in scenario.variables]
        data: dict[str, Any] = {name: (list(coords), self.values[name].reshape(shape)) for name in present}
        data["outcome"] = (list(coords)[:-1], self.outcomes.reshape(shape[:-1]).astype(str))
        return file.annotated(xr.Dataset(data, coords=coords), scenario)


def _labels(values: list[Any]) -> list[Any]:
    """Swept values as a coordinate: all of them text where one is."""
    return list(map(str, values)) if any(isinstance(value, str) for value in values) else values
