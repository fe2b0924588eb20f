"""Interface of allocations of the band, and their registry."""

import numpy as np

from ..array_types import PerWorker, Rates, Shares
from ..registry import Part, Registry


class Allocation(Part):
    """Allocation of the band: shares x_nk of every subcarrier's time to workers side by side, Σ_n x_nk = 1.

    Here x_nk is the share of worker n on subcarrier k. Shares are constant for an upload.
    """

    @property
    def uses(self) -> int | None:
        """Channel uses of every upload; None: as many as its bits need."""
        return None

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray | None:
        """Return the indices, from 0, of the subcarriers open to each worker, of a band of S; None: all.

        There is one for each piece, a whole subcarrier or a part of one. Shape [workers, pieces].
        """
        return None

    def shares(self, rates: Rates, subcarriers: int) -> Shares:
        """Return each worker's share of the time of each subcarrier open to it, of a band of S. Shape of rates."""
        raise NotImplementedError

    def band(self, shares: Shares, subcarriers: int) -> PerWorker | float:
        """Return the number of subcarriers of each worker, not rounded; by default the sum of its shares."""
        return shares.sum(axis=-1)


ALLOCATIONS = Registry("allocation", Allocation)
register = ALLOCATIONS.register
