"""Curves of a study's runs, and the dataset made of them."""

from typing import Any

import numpy as np
import xarray as xr

from otafl.engine.schedule import recorded
from otafl.results import file
from otafl.results.provenance import PROVENANCE
from otafl.scenario.sweeps import dimensions
from otafl.store.result import Result
from otafl.store.store import Store
from otafl.study.plan import Study
from otafl.variables import CURVES


class StudyCurves:
    """Curves of all runs of a study, NaN and "stopped" where there is nothing yet."""

    def __init__(self, study: Study) -> None:
        self.study, self.origins = study, dict[str, set[str]]()
        num_runs, width = len(study.columns), len(recorded(study.scenario.settings.run))
        self.values = {name: np.full((num_runs, width), np.nan) for name in CURVES}
        self.outcomes = np.full(num_runs, "stopped", dtype=object)
        self.compute_time = np.full(num_runs, np.nan)

    def take(self, store: Store) -> int:
        """Read all runs of the study that a store has; return how many are no longer missing."""
        for place, (column, name) in enumerate(zip(self.study.columns, self.study.names, strict=True)):
            known = store.result_of(name, column.settings.run)
            if known:
                self.put(place, known)
        return len(self.study.columns) - len(self.missing)

    def put(self, place: int, result: Result) -> None:
        """Enter the result of the run at a place of the study."""
        for name, values in result.values.items():
            self.values[name][place] = values
        self.outcomes[place] = result.outcome
        self.compute_time[place] = result.info.get("compute_time", np.nan)
        for name in result.info.keys() & set(PROVENANCE):
            self.origins.setdefault(name, set()).add(result.info[name])

    def fail(self, place: int) -> None:
        """Enter that the run at a place of the study could not be computed."""
        self.outcomes[place] = "failed"

    @property
    def missing(self) -> list[int]:
        """Places of the runs that have no result yet."""
        return np.flatnonzero(self.outcomes == "stopped").tolist()

    def dataset(self) -> xr.Dataset:
        """Return the result: curves over the swept keys, seed and iteration, and the outcome of each run."""
        scenario, plan = self.study.scenario, self.study.scenario.settings.run
        keys = zip(dimensions(scenario.sweep), scenario.sweep.values(), strict=True)
        coords = {name: _labels(values) for name, values in keys}
        coords |= {"seed": list(plan.seed_range), "iteration": recorded(plan)}
        shape = [len(values) for values in coords.values()]
        present = [name for name in CURVES if name in scenario.variables]
        data: dict[str, Any] = {name: (list(coords), self.values[name].reshape(shape)) for name in present}
        data["outcome"] = (list(coords)[:-1], self.outcomes.reshape(shape[:-1]).astype(str))
        made = file.annotated(xr.Dataset(data, coords=coords), scenario)
        return made.assign_attrs({name: ", ".join(sorted(values)) for name, values in self.origins.items()})

    def with_times(self) -> xr.Dataset:
        """Return the result with the variable ``compute_time``, the computing time of each run [s]."""
        data = self.dataset()
        return data.assign(compute_time=(data["outcome"].dims, self.compute_time.reshape(data["outcome"].shape)))


def _labels(values: list[Any]) -> list[Any]:
    """Return swept values as a coordinate: all of them as text if one is text."""
    return list(map(str, values)) if any(isinstance(value, str) for value in values) else values
