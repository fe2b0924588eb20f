"""Outcomes of runs: "completed", "at_target", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

from otafl.metrics.result_variables import VARIABLES

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


def judged(
    values: Mapping[str, np.ndarray], iterations: np.ndarray, stop_at: Mapping[str, float]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return curves cut where runs end at a target or diverge, and outcomes; stored ones as those under way."""
    kept, at_target = dict(values), np.zeros(values["loss"].shape, bool)
    for name, target in stop_at.items():
        sign = -1 if VARIABLES[name].rises else 1
        curves = np.where(reached(kept), sign * kept[name], np.nan)
        at_target = np.vectorize(sustained, signature="(i),(i),()->(i)")(curves, iterations, sign * target)
        kept = _up_to(kept, at_target)
    astray = lost(kept)
    ways = [astray.any(axis=-1), at_target.any(axis=-1)]
    return _up_to(kept, astray), np.select(ways, ["diverged", AT_TARGET], "completed")


def _up_to(values: Mapping[str, np.ndarray], ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return curves that are NaN beyond the first iteration at which a run ends."""
    beyond = np.cumsum(ends, axis=-1) > ends
    return {name: np.where(beyond, np.nan, rows) for name, rows in values.items()}


def sustained(values: np.ndarray, iterations: np.ndarray, goal: float) -> np.ndarray:
    """Return True at readings until which a curve was at most a goal throughout half a window. Shape [recorded]."""
    read = np.flatnonzero(~np.isnan(values))
    places = np.arange(len(read))
    outside = np.maximum.accumulate(np.where(values[read] <= goal, -1, places))
    since = np.append(iterations[read], 0)[outside]
    kept = np.zeros(len(values), bool)
    kept[read] = (places - outside > HALF_WINDOW) & (since < (1 - AROUND) * iterations[read])
    return kept
