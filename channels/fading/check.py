"""Whether a fading model keeps to what a model must: shapes, finite complex gains, mean square 1."""

import functools

import numpy as np

from channels.fading.protocol import Fading

BLOCKS, WORKERS, SUBCARRIERS = 400, 2, 3
SURE = 6.0
"""Standard errors by which a mean is wrong beyond doubt."""
CLOSE = 0.05


@functools.lru_cache(maxsize=64)
def require_sound(fading: Fading) -> None:
    """Refuse a model whose gains are not complex, finite and of the shape that was asked for.

    Raises:
        ValueError: says what is wrong.
    """
    h = fading.sample(np.random.default_rng(0), WORKERS, SUBCARRIERS)
    if np.shape(h) != (WORKERS, SUBCARRIERS):
        raise ValueError(f"sample(rng, {WORKERS}, {SUBCARRIERS}) must return that shape, not {np.shape(h)}")
    if not np.iscomplexobj(h) or not np.isfinite(h).all():
        raise ValueError("sample must return finite complex gains")


@functools.lru_cache(maxsize=64)
def mean_square(fading: Fading) -> float | None:
    """The mean of |h|² where it is not 1, by many independent blocks and beyond doubt; else None."""
    rng = np.random.default_rng(0)
    means = [np.mean(np.abs(fading.sample(rng, WORKERS, SUBCARRIERS)) ** 2) for _ in range(BLOCKS)]
    mean, error = float(np.mean(means)), float(np.std(means)) / np.sqrt(BLOCKS)
    return mean if abs(mean - 1) > max(CLOSE, SURE * error) else None
