"""Outcomes of runs: "completed", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

OUTCOMES = ("completed", "diverged", "stopped", "failed")
FINAL = ("completed", "diverged")
"""Outcomes of runs that do not go on."""


def reached(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return True at iterations that a run has reached; beyond its end all costs are missing. Shape [..., recorded]."""
    return ~np.isnan(values["time_slots"])


def lost(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return True at iterations where a run has diverged, as its loss is not finite. Shape [..., recorded]."""
    return reached(values) & ~np.isfinite(values["loss"])
