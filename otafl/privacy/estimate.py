"""Error of the best linear estimate of a worker's model or gradient from all received signals.

All elements share the coefficients of the estimate, which combine the received values at an element. The coefficients
are those that fit the truth best. No linear estimator does better, and one that must find its coefficients does worse.
"""

import math

import numpy as np

ENOUGH = 10
"""Least number of elements for each coefficient."""
ROUNDING = 64
"""Error, in units of the last place, up to which a target counts as known."""


def residual(target: np.ndarray, seen: np.ndarray) -> float:
    """Return the error per element of the best linear estimate, corrected for the number of fitted coefficients."""
    features = np.vstack([seen, np.ones_like(target)]).T.astype(float)
    scale = np.linalg.norm(features, axis=0)
    features = features[:, scale > 0] / scale[scale > 0]
    coefficients, _, rank, _ = np.linalg.lstsq(features, target, rcond=1e-10)
    return float(np.sum((target - features @ coefficients) ** 2) / max(1, len(target) - rank))


def error(target: np.ndarray, seen: np.ndarray, known: np.ndarray) -> float:
    """Return the mean squared error of the best linear estimate of a target [d] over that from the global models alone.

    That is 1 if the received values [receptions, d] do not help, 0 if the target follows from the global models
    [models, d], but for rounding, and NaN if there are less than 10 elements for each coefficient.
    """
    if len(target) < ENOUGH * (len(seen) + len(known) + 1):
        return math.nan
    before = residual(target, known)
    # a target that follows from the global models leaves rounding alone, over which nothing can be divided
    if before <= np.mean(np.square(target, dtype=float)) * (ROUNDING * np.finfo(target.dtype).eps) ** 2:
        return 0.0
    return residual(target, np.vstack([known, seen])) / before


def best(target: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the best linear estimate of a target [d] from features [features, d]."""
    features = np.vstack([seen, np.ones_like(target)]).T
    return features @ np.linalg.lstsq(features, target, rcond=1e-10)[0]
