"""Whether a fading model keeps to what a model must: shapes, finite complex gains, mean square 1."""

import functools
from typing import Any

import numpy as np

from channels.fading.block import realise
from channels.fading.protocol import Layout

SEEDS, WORKERS, SUBCARRIERS = 400, 2, 3
SURE = 6.0
"""Standard errors by which a mean is wrong beyond doubt."""
CLOSE = 0.05


def _gains(fading: Any, seed: int) -> np.ndarray:
    return realise(fading, Layout(WORKERS), np.random.SeedSequence(seed)).gains(0, SUBCARRIERS)


@functools.lru_cache(maxsize=64)
def require_sound(fading: Any) -> None:
    """Refuse a model whose gains are not complex, finite and of the shape that was asked for.

    Raises:
        ValueError: says what is wrong.
    """
    sampled = hasattr(fading, "sample")
    h = fading.sample(np.random.default_rng(0), WORKERS, SUBCARRIERS) if sampled else _gains(fading, 0)[:, 0]
    if np.shape(h) != (WORKERS, SUBCARRIERS):
        raise ValueError(f"sample(rng, {WORKERS}, {SUBCARRIERS}) must return that shape, not {np.shape(h)}")
    if not np.iscomplexobj(h) or not np.isfinite(h).all():
        raise ValueError("sample must return finite complex gains")


@functools.lru_cache(maxsize=64)
def mean_square(fading: Any) -> float | None:
    """The mean of |h|² where it is not 1, by many independent channels and beyond doubt; else None."""
    means = [np.mean(np.abs(_gains(fading, seed)) ** 2) for seed in range(SEEDS)]
    mean, error = float(np.mean(means)), float(np.std(means)) / np.sqrt(SEEDS)
    return mean if abs(mean - 1) > max(CLOSE, SURE * error) else None
