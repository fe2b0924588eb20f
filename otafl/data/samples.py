"""Samples of any kind, as they are stored."""

import functools
import hashlib
from dataclasses import dataclass, replace

import numpy as np

MOMENTS_TOGETHER = 2**22
"""Largest number of values of features that are turned into doubles at a time."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Training samples with their targets, and what a classifier is tested on.

    Arguments:
        features: of training. Shape [samples, ...].
        targets: labels from 0 on, int32, or real targets of a regression. Shape [samples].
        test_features: likewise for testing; a regression has none. Shape [tests, ...].
        test_targets: Shape [tests].
        scale: what the features are multiplied by before use.
        subset: name of the file, where it holds a part of the data set.
        shares: training samples of each worker, where they belong to workers from the start.
        classes: number of classes; of a regression it has no meaning.
    """

    features: np.ndarray
    targets: np.ndarray
    test_features: np.ndarray
    test_targets: np.ndarray
    scale: float = 1.0
    subset: str = ""
    shares: tuple[np.ndarray, ...] = ()
    classes: int = 10

    @functools.cached_property
    def digest(self) -> str:
        """Digest of all arrays, for the name of a run."""
        digest = hashlib.sha256()
        for part in (self.features, self.targets, self.test_features, self.test_targets, *self.shares):
            digest.update(f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @functools.cached_property
    def single(self) -> "Samples":
        """Samples with these features and targets, in single precision."""
        return replace(self, features=self.features.astype(np.float32), targets=self.targets.astype(np.float32))

    @functools.cached_property
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation of every channel over the training samples; 1 for one that is constant.

        Shape [channels] each.
        """
        flat = self.features.reshape(-1, self.features.shape[-1])
        parts = np.array_split(flat, 1 + flat.size // MOMENTS_TOGETHER)
        mean = np.sum([part.sum(axis=0, dtype=np.float64) for part in parts], axis=0) / len(flat)
        deviation = np.sqrt(np.sum([((part - mean) ** 2).sum(axis=0) for part in parts], axis=0) / len(flat))
        return mean, np.where(deviation > 0, deviation, 1.0)
