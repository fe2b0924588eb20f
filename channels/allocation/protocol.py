"""Allocation interface, and the kinds of allocation by name."""

import numpy as np

from channels.registry import Part, Registry


class Allocation(Part):
    """Shares x_nk of every subcarrier's time for workers that send one beside the other, Σ_n x_nk = 1.

    Shares stay as they are for an upload.
    """

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray | None:
        """Return which subcarriers each worker may have, [workers, pieces]; None: all of them."""
        return None

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return shares of the subcarriers that workers may have. Shape of rates, [..., workers, pieces].

        Arguments:
            rates: bits that a worker carries on all of a subcarrier in a slot.
            subcarriers: S.
        """
        raise NotImplementedError

    def band(self, shares: np.ndarray, subcarriers: int) -> np.ndarray | float:
        """Return how many subcarriers each worker has, parts of them included. Shape [..., workers], or one for all."""
        return shares.sum(axis=-1)


ALLOCATIONS = Registry("allocation", Allocation)
"""Kinds of allocation by name."""
register = ALLOCATIONS.register
