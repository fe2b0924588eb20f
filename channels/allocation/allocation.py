"""Interface of allocations of the band, and their registry."""

import numpy as np

from ..array_types import PerWorker, Rates, Shares
from ..registry import Part, Registry


class Allocation(Part):
    """Allocation of the band: shares x_nk of subcarrier k's time to worker n, Σ_n x_nk = 1, constant in an upload."""

    @property
    def uses(self) -> int | None:
        """Channel uses of every upload; None: as many as its bits need."""
        return None

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray | None:
        """Return the indices of subcarriers, or parts of them, open to each worker; None: all. [workers, pieces]"""
        return None

    def shares(self, rates: Rates, subcarriers: int) -> Shares:
        """Return each worker's share of the time of each subcarrier open to it, of a band of S. Shape of rates."""
        raise NotImplementedError

    def band(self, shares: Shares, subcarriers: int) -> PerWorker | float:
        """Return the number of subcarriers of each worker, not rounded; by default the sum of its shares."""
        return shares.sum(axis=-1)


ALLOCATIONS = Registry("allocation", Allocation)
register = ALLOCATIONS.register
