"""Result of a run: its curves, from which those of a shorter run can be read."""

import math
from typing import NamedTuple

import numpy as np

from otafl.engine.outcome import FINAL, judged, reached
from otafl.metrics.result_variables import CURVES, VARIABLES, impossible
from otafl.settings.run import Run
from otafl.store.array_file import Arrays, Info

NEEDED = ("loss", "time_slots", "test_accuracy")
"""Names of the curves that every result has."""


class Result(NamedTuple):
    """Curves and outcome of a run.

    Arguments:
        iterations: recorded iterations, counted from 1. Shape [recorded], int.
        values: curves by variable, such as "loss", in its unit, NaN beyond the run's end. Shape [recorded] each, float.
        outcome: "completed", "at_target" or "diverged"; of an unfinished run "stopped".
        info: origin: versions, such as "otafl_version", "compute_time" [s], "family" of problems ("classification").
    """

    iterations: np.ndarray
    values: dict[str, np.ndarray]
    outcome: str
    info: Info

    def of(self, run: Run) -> "Result | None":
        """Return the result of a run of other iterations; None where this one lacks one, or the last accuracy."""
        wanted, here = run.recorded, self.iterations
        rows = np.searchsorted(here, wanted).clip(max=len(here) - 1)
        there = wanted <= here[-1]
        if not np.isin(wanted[there], here).all():
            return None
        values = {name: np.where(there, curve[rows], np.nan) for name, curve in self.values.items()}
        read = wanted % run.evaluate_every == 0
        if not read[-1] and self._unread(values):
            return None
        read[-1] = True
        values |= {name: np.where(read, values[name], np.nan) for name in self._sparse}
        values, outcome = judged(values, wanted, run.stop_at)
        ended = outcome == self.outcome and (outcome != "completed" or not reached(self.values)[-1])
        return Result(wanted, values, str(outcome), self.info) if there.all() or ended else None

    @property
    def _sparse(self) -> list[str]:
        return [name for name in self.values if name in VARIABLES and VARIABLES[name].sparse]

    def _unread(self, values: dict[str, np.ndarray]) -> bool:
        """Return True if a run with readings of sparse variables has none at the last iteration, which it reached."""
        here, last = (np.array([curves[name] for name in self._sparse]) for curves in (self.values, values))
        reads = self.info.get("family") == "classification" or not np.isnan(here).all()
        return bool(reads and np.isnan(last[:, -1]).all() and reached(values)[-1])


def restored(arrays: Arrays, info: Info) -> Result:
    """Return the result of a run from the content of its file in a store."""
    iterations, outcome = arrays.pop("iteration"), info.pop("outcome")
    sound = (
        len(iterations)
        and outcome in FINAL
        and (iterations.dtype.kind, iterations.ndim) == ("i", 1)
        and (np.diff(iterations, prepend=0) > 0).all()
        and set(NEEDED) <= set(arrays)
        and all(values.shape == iterations.shape and values.dtype.kind == "f" for values in arrays.values())
        and all(isinstance(info[name], float if name == "compute_time" else str) for name in info)
        and not any(list(impossible(name, arrays[name])) for name in CURVES.keys() & arrays)
        and 0 <= info.get("compute_time", 0.0) < math.inf
    )
    if not sound:
        raise ValueError("it is no result")
    return Result(iterations, arrays, outcome, info)


def merged(first: Result, second: Result) -> Result:
    """Merge two results of one run, which have recorded other iterations, or more of them."""
    longer = max(first, second, key=lambda result: result.iterations[-1])
    iterations = np.union1d(first.iterations, second.iterations)
    values = {}
    for name in longer.values:
        values[name] = np.full(len(iterations), np.nan)
        for result in (first, second):
            known = result.values.get(name, math.nan)
            at = np.searchsorted(iterations, result.iterations)
            values[name][at] = np.where(np.isnan(known), values[name][at], known)
    return longer._replace(iterations=iterations, values=values)
