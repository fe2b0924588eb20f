"""How the samples of a data set are dealt to workers."""

import numpy as np

from otafl.errors import OtaflError


def fewest(num_samples: int, num_workers: int) -> int:
    """Samples of the worker that has fewest in an equal split.

    Raises:
        OtaflError: fewer samples than workers.
    """
    if num_workers > num_samples:
        rule = f"must not exceed the number of samples, {num_samples}"
        raise OtaflError("federation.workers", num_workers, rule)
    return num_samples // num_workers


def iid(num_samples: int, num_workers: int, rng: np.random.Generator) -> list[np.ndarray]:
    """A uniformly random equal split: the workers' sample indices, their numbers differing by one at most.

    Raises:
        OtaflError: fewer samples than workers.
    """
    fewest(num_samples, num_workers)
    return np.array_split(rng.permutation(num_samples), num_workers)
