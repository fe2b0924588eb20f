"""How well the best linear estimate finds a worker's model or gradient in all that was received.

Elements are taken for draws of one law: the estimate of each is the same linear combination of what there is at that
element, with coefficients that suit the truth best. No estimator of that kind does better, and one that must find its
coefficients does worse.
"""

import math

import numpy as np

ENOUGH = 10
"""Elements for each coefficient, fewer than which say little."""
ROUNDING = 64
"""Error up to which a target is taken for known, in units of its last place."""


def residual(target: np.ndarray, seen: np.ndarray) -> float:
    """Mean square of what the best linear estimate leaves, without bias from fitting it.

    Arguments:
        target: shape [d].
        seen: what there is at each element. Shape [features, d].
    """
    features = np.vstack([seen, np.ones_like(target)]).T.astype(float)
    scale = np.linalg.norm(features, axis=0)
    features = features[:, scale > 0] / scale[scale > 0]
    coefficients, _, rank, _ = np.linalg.lstsq(features, target, rcond=1e-10)
    left = target - features @ coefficients
    return float(np.sum(left**2) / max(1, len(target) - rank))


def error(target: np.ndarray, seen: np.ndarray, known: np.ndarray) -> float:
    """Normalised mean-squared error: 1 where what was received is of no use beyond what is known anyway; 0 where the
    target itself is known anyway, but for rounding; NaN where there are less than ENOUGH elements for each coefficient.

    Arguments:
        target: shape [d].
        seen: what was received. Shape [receptions, d].
        known: the global model before, and earlier ones. Shape [models, d].
    """
    if len(target) < ENOUGH * (len(seen) + len(known) + 1):
        return math.nan
    before = residual(target, known)
    if before <= np.mean(np.square(target, dtype=float)) * (ROUNDING * np.finfo(target.dtype).eps) ** 2:
        return 0.0
    return residual(target, np.vstack([known, seen])) / before


def best(target: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The best linear estimate itself. Shape [d]."""
    features = np.vstack([seen, np.ones_like(target)]).T
    return features @ np.linalg.lstsq(features, target, rcond=1e-10)[0]
