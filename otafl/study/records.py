"""Recorded iterations of a study's runs, each told once to a function of the user's, while runs are computed."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from otafl.engine import duration
from otafl.engine.outcome import reached
from otafl.engine.run_spec import RunSpec
from otafl.study.plan import Study

OnRecord = Callable[[dict[str, Any], int, int, dict[str, float]], None]
"""Function called with the point of the sweep, the seed, the number of an iteration, and values by variable."""


class Records:
    """Recorded iterations of a study's runs, each told once and in order to a function, whose errors end the study."""

    def __init__(self, study: Study, on_record: OnRecord) -> None:
        self.study, self.on_record = study, on_record
        self.places = {id(column): place for place, column in enumerate(study.columns)}
        self.told = np.zeros(len(study.columns), int)
        self.variables = study.scenario.variables

    def under_way(self, columns: list[RunSpec], iterations: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
        """Tell new iterations of runs that this process computes side by side."""
        for run, column in enumerate(columns):
            self.of_run(self.places[id(column)], iterations, {name: rows[run] for name, rows in values.items()})

    def of_run(self, place: int, iterations: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
        """Tell the iterations of a run that have not been told yet, up to its end."""
        column, scenario = self.study.columns[place], self.study.scenario
        new = np.flatnonzero((iterations > self.told[place]) & reached(values))
        if not len(new):
            return
        timed = {"time": duration.time(column.settings, values["time_slots"], iterations), **values}
        point, _ = self.study.points[place // scenario.settings.run.seeds]
        method = scenario.method_of(point)
        shown = {name: timed[name] for name in self.variables if name in timed}
        for at in new:
            known = {name: float(rows[at]) for name, rows in shown.items() if not np.isnan(rows[at])}
            self.on_record({"method": method, **point}, column.seed, int(iterations[at]), known)
        self.told[place] = iterations[new[-1]]
