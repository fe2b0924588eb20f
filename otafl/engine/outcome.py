"""Outcomes of runs: "completed", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

FINAL = ("completed", "diverged")
"""Outcomes of runs that do not go on."""


def lost(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Mark iterations at which a run has diverged: its loss is not finite, and it has not ended before.

    Arguments:
        values: curves by variable. Shape [..., recorded] each.

    Returns:
        Shape [..., recorded].
    """
    return ~np.isfinite(values["loss"]) & ~np.isnan(values["time_slots"])
