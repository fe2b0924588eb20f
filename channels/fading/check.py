"""Checks of fading models: shape of the gains, finite complex values, mean square 1, no matter in which order."""

import functools

import numpy as np

from ..array_types import AntennaGains
from .block import realise
from .fading_model import Fading
from .layout import Layout

SEEDS, WORKERS, SUBCARRIERS, BLOCKS = 400, 2, 3, 3
SURE = 6.0
"""Standard errors from 1 beyond which a mean square counts as wrong."""
CLOSE = 0.05
"""Distance from 1 within which a mean square never counts as wrong."""


def _gains(fading: Fading, seed: int) -> AntennaGains:
    return realise(fading, Layout(WORKERS), np.random.SeedSequence(seed)).gains(0, SUBCARRIERS)


@functools.lru_cache(maxsize=64)
def require_sound(fading: Fading) -> None:
    """Refuse a hashable model whose gains are not complex and finite, or depend on the order of blocks."""
    sampled = hasattr(fading, "sample")
    h = fading.sample(np.random.default_rng(0), WORKERS, SUBCARRIERS) if sampled else _gains(fading, 0)[:, 0]
    if np.shape(h) != (WORKERS, SUBCARRIERS):
        raise ValueError(f"sample(rng, {WORKERS}, {SUBCARRIERS}) must return that shape, not {np.shape(h)}")
    if not np.iscomplexobj(h) or not np.isfinite(h).all():
        raise ValueError("sample must return finite complex gains")
    realisation = realise(fading, Layout(WORKERS), np.random.SeedSequence(0))
    onward = [realisation.gains(block, SUBCARRIERS) for block in range(BLOCKS)]
    back = [realisation.gains(block, SUBCARRIERS) for block in reversed(range(BLOCKS))]
    if not np.allclose(onward, back[::-1], equal_nan=True):
        raise ValueError("gains must depend on seed and block alone, but those of a block differ when asked for again")


@functools.lru_cache(maxsize=64)
def mean_square(fading: Fading) -> float | None:
    """Return the mean of |h|² over many channels of a hashable model if it differs from 1 beyond doubt, else None."""
    means = [np.mean(np.abs(_gains(fading, seed)) ** 2) for seed in range(SEEDS)]
    mean, error = float(np.mean(means)), float(np.std(means)) / np.sqrt(SEEDS)
    return mean if abs(mean - 1) > max(CLOSE, SURE * error) else None
