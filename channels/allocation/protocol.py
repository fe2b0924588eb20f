"""Interface of allocations of the band, and their registry."""

import numpy as np

from channels.registry import Part, Registry


class Allocation(Part):
    """Allocation of the band: shares x_nk of every subcarrier's time to workers side by side, Σ_n x_nk = 1.

    Shares are constant for an upload.
    """

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray | None:
        """Return the indices of the subcarriers open to each worker, [workers, pieces]; None: all subcarriers."""
        return None

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return each worker's share of the subcarriers open to it. Shape of rates.

        Arguments:
            rates: rate of a worker on a whole subcarrier [bit/slot]. Shape [..., workers, pieces].
            subcarriers: number S of subcarriers.
        """
        raise NotImplementedError

    def band(self, shares: np.ndarray, subcarriers: int) -> np.ndarray | float:
        """Return the number of subcarriers of each worker, as a sum of shares. Shape [..., workers], or one for all."""
        return shares.sum(axis=-1)


ALLOCATIONS = Registry("allocation", Allocation)
"""Kinds of allocation by name."""
register = ALLOCATIONS.register
