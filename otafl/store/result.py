"""The result of a run: its curves, and what a longer run says of a shorter one."""

from typing import Any, NamedTuple

import numpy as np

from otafl.engine.outcome import FINAL, lost
from otafl.engine.schedule import recorded
from otafl.settings.keys import Run
from otafl.variables import CURVES

NEEDED = ("loss", "time_slots", "test_accuracy")
"""Curves that every result has."""


class Result(NamedTuple):
    """The curves and the outcome of a run.

    Arguments:
        iterations: those that are recorded, counted from 1. Shape [recorded].
        values: curves by variable, NaN beyond the run's end. Shape [recorded] each.
        outcome: "completed" or "diverged".
        info: how it came about, such as versions, and the seconds that it took.
    """

    iterations: np.ndarray
    values: dict[str, np.ndarray]
    outcome: str
    info: dict[str, Any]

    def of(self, run: Run) -> "Result | None":
        """The result of a run of so many iterations; None: this one has not got there, or has not recorded it.

        A run that has ended before does not need to get there.
        """
        wanted, here = recorded(run), self.iterations
        rows = np.searchsorted(here, wanted)
        there = wanted <= here[-1]
        if not (there.all() or self.ended) or not np.isin(wanted[there], here).all():
            return None
        values = {
            name: np.where(there, curve[np.minimum(rows, len(here) - 1)], np.nan) for name, curve in self.values.items()
        }
        read = (wanted % run.evaluate_every == 0) | (wanted == run.iterations)
        values["test_accuracy"] = np.where(read, values["test_accuracy"], np.nan)
        return Result(wanted, values, "diverged" if lost(values).any() else "completed", self.info)

    @property
    def ended(self) -> bool:
        """True where more iterations would bring nothing more."""
        return self.outcome == "diverged" or bool(np.isnan(self.values["time_slots"][-1]))


def restored(arrays: dict[str, np.ndarray], info: dict[str, Any]) -> Result:
    """Return the result that a file's arrays and the rest of it are.

    Raises:
        ValueError: they are none.
        KeyError: something is missing.
    """
    iterations, outcome = arrays.pop("iteration"), info.pop("outcome")
    sound = (
        len(iterations)
        and outcome in FINAL
        and (iterations.dtype.kind, iterations.ndim) == ("i", 1)
        and (np.diff(iterations, prepend=0) > 0).all()
        and set(NEEDED) <= set(arrays) <= set(CURVES)
        and all(values.shape == iterations.shape and values.dtype.kind == "f" for values in arrays.values())
        and all(isinstance(info[name], float if name == "compute_time" else str) for name in info)
    )
    if not sound:
        raise ValueError("it is no result")
    return Result(iterations, arrays, outcome, info)


def merged(one: Result, other: Result) -> Result:
    """Two results of one run, which agree where both have recorded; the longer one says how it ended."""
    longer = max(one, other, key=lambda result: result.iterations[-1])
    iterations = np.union1d(one.iterations, other.iterations)
    values = {}
    for name in longer.values:
        values[name] = np.full(len(iterations), np.nan)
        for result in (one, other):
            known = result.values[name]
            at = np.searchsorted(iterations, result.iterations)
            values[name][at] = np.where(np.isnan(known), values[name][at], known)
    return longer._replace(iterations=iterations, values=values)
