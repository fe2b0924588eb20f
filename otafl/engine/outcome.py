"""Outcomes of runs: "completed", "at_target", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

AT_TARGET = "at_target"
"""Outcome of a run that has ended at ``run.stop_at``."""
FINAL = ("completed", AT_TARGET, "diverged")
"""Outcomes of runs that do not go on."""
OUTCOMES = (*FINAL, "stopped", "failed")
HALF_WINDOW, AROUND = 5, 1 / 8
"""Window of the running median by which a target counts as reached: readings, and a share of the iterations, to each
side. A few readings above a target do not count then, where noise is all that lifts a curve."""


def reached(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return True at iterations that a run has reached; beyond its end all costs are missing. Shape [..., recorded]."""
    return ~np.isnan(values["time_slots"])


def lost(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return True at iterations where a run has diverged, as its loss is not finite. Shape [..., recorded]."""
    return reached(values) & ~np.isfinite(values["loss"])


def sustained(values: np.ndarray, iterations: np.ndarray, goal: float) -> np.ndarray:
    """Return True at readings until which a curve was at most a goal throughout half a window. Shape [recorded]."""
    read = np.flatnonzero(~np.isnan(values))
    places = np.arange(len(read))
    outside = np.maximum.accumulate(np.where(values[read] <= goal, -1, places))
    since = np.append(iterations[read], 0)[outside]
    kept = np.zeros(len(values), bool)
    kept[read] = (places - outside > HALF_WINDOW) & (since < (1 - AROUND) * iterations[read])
    return kept
