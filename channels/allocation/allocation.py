"""Interface of allocations of the band, and their registry."""

import numpy as np

from ..registry import Part, Registry


class Allocation(Part):
    """Allocation of the band: shares x_nk of every subcarrier's time to workers side by side, Σ_n x_nk = 1.

    Here x_nk is the share of worker n on subcarrier k. Shares are constant for an upload.
    """

    @property
    def uses(self) -> int | None:
        """Channel uses of every upload; None, as by default: as many as its bits need."""
        return None

    def subcarriers(self, workers: int, subcarriers: int) -> np.ndarray | None:
        """Return the indices of the subcarriers open to each worker; None: all subcarriers, as by default.

        Arguments:
            workers: number N of workers.
            subcarriers: number S of subcarriers.

        Returns:
            Indices from 0 to S - 1, one for each piece of a worker's part of the band: a whole subcarrier or a part of
            one. Shape [workers, pieces].
        """
        return None

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return each worker's share, from 0 to 1, of the time of each subcarrier open to it. Shape of rates.

        Arguments:
            rates: rate of a worker on each whole subcarrier that is open to it [bit/slot]. Shape [..., workers,
                pieces], with an entry for each index of ``subcarriers``, or [..., workers, subcarriers] where all are
                open.
            subcarriers: number S of subcarriers of the band.
        """
        raise NotImplementedError

    def band(self, shares: np.ndarray, subcarriers: int) -> np.ndarray | float:
        """Return the number of subcarriers of each worker, by default the sum of its shares, not rounded.

        Arguments:
            shares: share of each worker of the time of its subcarriers, from 0 to 1. Shape [..., workers, pieces].
            subcarriers: number S of subcarriers of the band; by default unused.

        Returns:
            Shape [..., workers], or one number for all.
        """
        return shares.sum(axis=-1)


ALLOCATIONS = Registry("allocation", Allocation)
"""Kinds of allocation: dictionary from names, such as "equal", to classes."""
register = ALLOCATIONS.register
