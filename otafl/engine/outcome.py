"""The outcomes of runs: "completed", "diverged", "stopped" or "failed"."""

from collections.abc import Mapping

import numpy as np

FINAL = ("completed", "diverged")
"""Outcomes of runs that go on no more."""


def lost(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Mark the iterations at which a run has diverged: its loss is not finite, and it has not ended before.

    Arguments:
        values: curves by variable. Shape [..., recorded] each.
    """
    return ~np.isfinite(values["loss"]) & ~np.isnan(values["time_slots"])
