"""Samples of any kind, in the form in which they are stored."""

import functools
import hashlib
from dataclasses import dataclass, replace

import numpy as np

MOMENTS_TOGETHER = 2**22
"""Most values of features that are converted to double precision at a time."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Training samples with their targets, and test samples of a classification."""

    features: np.ndarray
    """Values of each training sample, such as pixels of an image, before the factor ``scale``. Shape [samples, ...]."""
    targets: np.ndarray
    """Labels from 0 on, int32, or real targets of a regression. Shape [samples]."""
    test_features: np.ndarray
    """Values of each test sample; a regression has none. Shape [tests, ...]."""
    test_targets: np.ndarray
    """Labels of test samples. Shape [tests]."""
    scale: float = 1.0
    """Factor of features before use, such as 1/255."""
    subset: str = ""
    """Name of the file, where it holds a part of the data set."""
    shares: tuple[np.ndarray, ...] = ()
    """Indices of each worker's training samples, where samples belong to workers from the start."""
    classes: int = 10
    """Number of classes; without meaning for a regression."""

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 digest of types, shapes and values of all arrays, 64 hexadecimal digits, for the name of a run."""
        digest = hashlib.sha256()
        for part in (self.features, self.targets, self.test_features, self.test_targets, *self.shares):
            digest.update(f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def inputs(self, standardised: bool, symbols: bool) -> tuple[float, float]:
        """Return the smallest and the largest value that a model gets as its input, which may be numbers of symbols."""
        if not standardised:
            scale = 1.0 if symbols else self.scale
            return float(self.features.min()) * scale, float(self.features.max()) * scale
        (mean, deviation), axes = self.moments, tuple(range(self.features.ndim - 1))
        least, most = ((edge(self.features, axis=axes) - mean) / deviation for edge in (np.min, np.max))
        return float(least.min()), float(most.max())

    @functools.cached_property
    def single(self) -> "Samples":
        """Samples with the same features and targets in single precision; test samples stay as they are."""
        return replace(self, features=self.features.astype(np.float32), targets=self.targets.astype(np.float32))

    @functools.cached_property
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation of every channel in training, 1 for a constant one. Shape [channels] each."""
        flat = self.features.reshape(-1, self.features.shape[-1])
        parts = np.array_split(flat, 1 + flat.size // MOMENTS_TOGETHER)
        mean = np.sum([part.sum(axis=0, dtype=np.float64) for part in parts], axis=0) / len(flat)
        deviation = np.sqrt(np.sum([((part - mean) ** 2).sum(axis=0) for part in parts], axis=0) / len(flat))
        return mean, np.where(deviation > 0, deviation, 1.0)
