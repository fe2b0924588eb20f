"""FedADMM and FedDR as algorithms 2 and 1 of Wang et al. print them, on a toy, in double precision.

Local losses are mean((⟨a, x⟩² − b)²)/4 over samples (a, b): they are not convex. All methods have the same clients and
mini-batches in every round, as theorem 1 asks.
"""

from collections.abc import Callable

import numpy as np

ETA, RATE, STEPS, BATCH = 1.0, 0.01, 300, 2
"""Penalty η, learning rate, local steps and batch size of the paper."""
CLIENTS, TAKE_PART, SAMPLES, ELEMENTS, ROUNDS = 30, 10, 40, 8, 50
Pull = Callable[[np.ndarray], np.ndarray]


class Toy:
    """Data of all clients, and who trains on which mini-batches."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.data = rng.normal(0.0, 0.5, (CLIENTS, SAMPLES, ELEMENTS))
        self.targets = rng.uniform(0.0, 2.0, (CLIENTS, SAMPLES))
        self.start = rng.standard_normal(ELEMENTS)
        self.who = [rng.choice(CLIENTS, TAKE_PART, replace=False) for _ in range(ROUNDS)]
        self.drawn = rng.integers(SAMPLES, size=(ROUNDS, STEPS, TAKE_PART, BATCH))
        self.drawn_first = rng.integers(SAMPLES, size=(STEPS, CLIENTS, BATCH))

    def fedadmm(self) -> np.ndarray:
        """Return the global models of algorithm 2 with g = 0, the initial one first. Shape [rounds + 1, elements]."""
        x, z, common = (np.tile(one, (CLIENTS, 1)) for one in (self.start, 0 * self.start, self.start))
        models = [self.start]
        for turn, active in enumerate(self.who):
            center, dual = models[-1], z[active]
            x[active] = self._trained(turn, x[active], lambda x, dual=dual, center=center: dual + ETA * (x - center))
            z[active] += ETA * (x[active] - center)
            common[active] = x[active] + z[active] / ETA
            models.append(common.mean(axis=0))
        return np.stack(models)

    def feddr(self, printed: bool = False) -> np.ndarray:
        """Return the global models of algorithm 1 with 1/η, α = 1, g = 0. Shape [rounds + 1, elements].

        Arguments:
            printed: True to begin with x_i ≈ prox(y_i), as algorithm 1 does; False with x_i = y_i.
        """
        x, y = (np.tile(self.start, (CLIENTS, 1)) for _ in range(2))
        if printed:
            x = self._descent(np.arange(CLIENTS), self.drawn_first, x, lambda x: ETA * (x - y))
        common = 2 * x - y
        offset, models = self.start - common.mean(axis=0), [self.start]
        for turn, active in enumerate(self.who):
            y[active] += models[-1] - x[active]
            x[active] = self._trained(turn, x[active], lambda x, y=y[active]: ETA * (x - y))
            common[active] = 2 * x[active] - y[active]
            models.append(offset + common.mean(axis=0))
        return np.stack(models)

    def _trained(self, turn: int, x: np.ndarray, pull: Pull) -> np.ndarray:
        return self._descent(self.who[turn], self.drawn[turn], x, pull)

    def _descent(self, who: np.ndarray, drawn: np.ndarray, x: np.ndarray, pull: Pull) -> np.ndarray:
        for picked in drawn:
            a, b = (part[who[:, None], picked] for part in (self.data, self.targets))
            inner = np.einsum("nbd,nd->nb", a, x)
            slope = np.einsum("nb,nbd->nd", (inner**2 - b) * inner, a) / BATCH
            x = x - RATE * (slope + pull(x))
        return x


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of models over all rounds, as a share of their largest element.

    Arguments:
        one: global models. Shape [rounds, elements].
        other: those of another method. Shape [rounds, elements].
    """
    return float(np.abs(one - other).max() / np.abs(one).max())
