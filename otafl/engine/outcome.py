"""Outcomes of runs: "completed", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

OUTCOMES = ("completed", "diverged", "stopped", "failed")
"""All outcomes of runs."""
FINAL = ("completed", "diverged")
"""Outcomes of runs that do not go on."""


def lost(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return True at iterations where a run has diverged: its loss is not finite, and it has not ended before.

    Returns:
        Marks, boolean. Shape [..., recorded].
    """
    return ~np.isfinite(values["loss"]) & ~np.isnan(values["time_slots"])
