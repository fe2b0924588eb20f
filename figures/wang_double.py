"""FedADMM and FedDR as algorithms 2 and 1 of Wang et al. print them, on a toy, in single and in double precision."""

from collections.abc import Callable

import numpy as np

ETA, RATE, STEPS, BATCH = 1.0, 0.01, 300, 2
"""Penalty η, learning rate, local steps and batch size of the paper."""
CLIENTS, TAKE_PART, SAMPLES, ELEMENTS, ROUNDS = 30, 10, 40, 8, 50


def largest_difference(precision: type[np.floating]) -> float:
    """Return the largest difference of the global models over all rounds, as a share of their largest element.

    Local losses are mean((⟨a, x⟩² − b)²)/4 over samples (a, b): they are not convex. Both methods have the same clients
    and mini-batches in every round, as theorem 1 asks.

    Arguments:
        precision: type of all numbers, such as ``numpy.float64``.
    """
    rng = np.random.default_rng(0)
    data = rng.normal(0.0, 0.5, (CLIENTS, SAMPLES, ELEMENTS)).astype(precision)
    targets = rng.uniform(0.0, 2.0, (CLIENTS, SAMPLES)).astype(precision)
    start = rng.standard_normal(ELEMENTS).astype(precision)
    who = [rng.choice(CLIENTS, TAKE_PART, replace=False) for _ in range(ROUNDS)]
    drawn = rng.integers(SAMPLES, size=(ROUNDS, STEPS, TAKE_PART, BATCH))

    def trained(turn: int, x: np.ndarray, pull: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        for picked in drawn[turn]:
            a, b = (part[who[turn][:, None], picked] for part in (data, targets))
            inner = np.einsum("nbd,nd->nb", a, x)
            slope = np.einsum("nb,nbd->nd", (inner**2 - b) * inner, a) / precision(BATCH)
            x = x - precision(RATE) * (slope + pull(x))
        return x

    pair = _fedadmm(start, who, trained, precision(ETA)), _feddr(start, who, trained, precision(1 / ETA))
    return float(np.abs(pair[0] - pair[1]).max() / np.abs(pair[0]).max())


def _fedadmm(start: np.ndarray, who: list[np.ndarray], trained: Callable, eta: np.floating) -> np.ndarray:
    """Return the global models of algorithm 2 with g = 0. Shape [rounds, elements]."""
    x, z, common = (np.tile(one, (CLIENTS, 1)) for one in (start, 0 * start, start))
    models = []
    for turn, active in enumerate(who):
        center, dual = common.mean(axis=0), z[active]
        x[active] = trained(turn, x[active], lambda x, dual=dual, center=center: dual + eta * (x - center))
        z[active] += eta * (x[active] - center)
        common[active] = x[active] + z[active] / eta
        models.append(common.mean(axis=0))
    return np.stack(models)


def _feddr(start: np.ndarray, who: list[np.ndarray], trained: Callable, eta: np.floating) -> np.ndarray:
    """Return the global models of algorithm 1 with α = 1, g = 0, and x_i = y_i at first. Shape [rounds, elements]."""
    x, y, common = (np.tile(start, (CLIENTS, 1)) for _ in range(3))
    models = []
    for turn, active in enumerate(who):
        y[active] += common.mean(axis=0) - x[active]
        x[active] = trained(turn, x[active], lambda x, y=y[active]: (x - y) / eta)
        common[active] = 2 * x[active] - y[active]
        models.append(common.mean(axis=0))
    return np.stack(models)
