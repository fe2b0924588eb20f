"""Curves of a study's runs, and the dataset made of them."""

from typing import Any

import numpy as np
import xarray as xr

from otafl.engine import duration
from otafl.metrics.result_variables import CURVES, VARIABLES
from otafl.results import result_file
from otafl.results.provenance import ORIGIN
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import dimensions
from otafl.scenario.variable_sources import sources
from otafl.store.result import Result
from otafl.store.store import Store
from otafl.study.plan import Study
from otafl.study.records import Records


class StudyCurves:
    """Curves of a study's runs in order, [runs, recorded] each; NaN and "stopped", or "failed", without a result."""

    def __init__(self, study: Study, records: Records | None = None) -> None:
        self.study, self.records, self.origins = study, records, dict[str, set[str]]()
        num_runs, width = len(study.columns), len(study.scenario.settings.run.recorded)
        asked = study.scenario.settings.run.metrics
        brought = [name for name, variable in CURVES.items() if variable.brought_by != "metric" or name in asked]
        self.values = {name: np.full((num_runs, width), np.nan) for name in brought}
        self.outcomes = np.full(num_runs, "stopped", dtype=object)
        self.compute_time = np.full(num_runs, np.nan)

    def take(self, store: Store) -> int:
        for place, name in enumerate(self.study.names):
            if known := store.result_of(name, self.study.scenario.settings.run):
                self.put(place, known)
        return len(self.study.columns) - len(self.missing)

    def put(self, place: int, result: Result) -> None:
        settings, slots = self.study.columns[place].settings, result.values["time_slots"]
        for name in result.values.keys() & self.values.keys():
            self.values[name][place] = result.values[name]
        if "time" not in result.values:
            self.values["time"][place] = duration.time(settings, slots, result.iterations)
        self.outcomes[place] = result.outcome
        self.compute_time[place] = result.info.get("compute_time", np.nan)
        for name in result.info.keys() & set(ORIGIN):
            self.origins.setdefault(name, set()).add(result.info[name])
        if self.records:
            self.records.of_run(place, result.iterations, result.values)

    @property
    def missing(self) -> list[int]:
        """Indices of the runs that have no result yet, from 0."""
        return np.flatnonzero(self.outcomes == "stopped").tolist()

    def dataset(self) -> xr.Dataset:
        scenario, plan = self.study.scenario, self.study.scenario.settings.run
        coords = coordinates(scenario) | {"iteration": plan.recorded}
        shape = [len(values) for values in coords.values()]
        data: dict[str, Any] = {name: (list(coords), values.reshape(shape)) for name, values in self._brought().items()}
        data["outcome"] = (list(coords)[:-1], self.outcomes.reshape(shape[:-1]).astype(str))
        annotated = result_file.annotated(xr.Dataset(data, coords=coords), scenario)
        return annotated.assign_attrs({name: ", ".join(sorted(values)) for name, values in self.origins.items()})

    def _brought(self) -> dict[str, np.ndarray]:
        """Return the curves that some run has, NaN for runs that lack them. Shape [runs, recorded] each."""
        has = [sources(settings) for _, settings in self.study.points]
        seeds, curves = self.study.scenario.settings.run.seeds, {}
        for name in self.values:
            there = np.array([VARIABLES[name].brought_by in brought for brought in has])
            if there.any():
                curves[name] = np.where(np.repeat(there, seeds)[:, None], self.values[name], np.nan)
        return curves

    def with_times(self) -> xr.Dataset:
        """Return the result of the study with the ``compute_time`` [s] of each run, over swept keys and seed."""
        data = self.dataset()
        return data.assign(compute_time=(data["outcome"].dims, self.compute_time.reshape(data["outcome"].shape)))


def coordinates(scenario: Scenario) -> dict[str, Any]:
    """Return the values of each dimension over which a study has runs: swept keys, then seeds."""
    coords: dict[str, Any] = {}
    for name, values in zip(dimensions(scenario.sweep), scenario.sweep.values(), strict=True):
        named = any(isinstance(value, str) for value in values)
        coords[name] = list(map(str, values)) if named else values
    return coords | {"seed": list(scenario.settings.run.seed_range)}
