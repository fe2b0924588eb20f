"""Synthetic(α, β) of Li et al. (2020), "Federated optimization in heterogeneous networks", as Wang et al. use it."""

import numpy as np

from otafl.data.images import CLASSES
from otafl.data.samples import Samples
from otafl.numerics import seeds
from otafl.settings.problem import Problem
from otafl.system.machine import in_one_thread

FEATURES = 60
SMALLEST, LOG_MEAN, LOG_DEVIATION = 50, 4.0, 2.0
"""Least samples of a worker, and mean and deviation of the logarithm of the others."""
LARGEST = 2000
TEST_SHARE = 0.1


def load(problem: Problem, workers: int, seed: int) -> Samples:
    """Return samples of every worker from a softmax model of its own, y = argmax(Wx + b) in ten classes.

    Features x have 60 elements. W and b have entries N(u, 1), u ~ N(0, α²). Features are x ~ N(v, Σ), v with entries
    N(B, 1), B ~ N(0, β²), and Σ is diagonal with Σ_jj = j^-1.2. A worker has 50 samples and a log-normal number (4, 2)
    more, at most 2,000 in all. A tenth of each worker's samples is for testing.
    """
    rng = seeds.generator(seed, "data")
    sizes = np.minimum(SMALLEST + rng.lognormal(LOG_MEAN, LOG_DEVIATION, workers).astype(int), LARGEST)
    parts = [_worker(problem, size, rng) for size in sizes]
    features, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    owner = np.repeat(np.arange(workers), sizes)
    test = np.concatenate([np.arange(size) < max(1, int(TEST_SHARE * size)) for size in sizes])
    shares = tuple(np.flatnonzero(owner[~test] == worker) for worker in range(workers))
    return Samples(features[~test], labels[~test], features[test], labels[test], shares=shares)


@in_one_thread()  # products are added in blocks, whose number depends on that of threads
def _worker(problem: Problem, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    model = rng.normal(0, problem.model_heterogeneity)
    centre = rng.normal(rng.normal(0, problem.data_heterogeneity), 1, FEATURES)
    weights, bias = rng.normal(model, 1, (FEATURES, CLASSES)), rng.normal(model, 1, CLASSES)
    features = rng.normal(centre, np.arange(1, FEATURES + 1) ** -0.6, (size, FEATURES))
    return features.astype(np.float32), np.argmax(features @ weights + bias, axis=1).astype(np.int32)
