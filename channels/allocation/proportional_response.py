"""Allocation of the band by proportional response.

Workers with budgets bid for subcarriers in proportion to the rates that these have brought them, and get shares in
proportion to their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to Market Equilibrium".
"""

from typing import Any, ClassVar

import numpy as np

from .allocation import Allocation

ROUNDS = 100
"""Number of rounds of bids."""


class ProportionalResponse(Allocation):
    """Base of allocations by the rates of workers on subcarriers, for a channel that is constant for an upload.

    Workers with budgets bid for subcarriers in proportion to the rates that these have brought them, and get shares in
    proportion to their bids.
    """

    levels: ClassVar[bool]
    """True: budgets change until all workers have the same rate; False: budgets are equal."""

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: no band to share, or a channel that changes in an upload; else empty.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of the tables ``uplink`` and ``channel``.
            method: unused.
        """
        if settings.uplink.subcarriers == "one_slot":
            return 'contradicts uplink.subcarriers = "one_slot": there is then no band to share'
        if settings.uplink.power_reference == "total":
            return 'contradicts uplink.power_reference = "total", which needs equal parts of the band'
        if settings.channel.coherence_s:
            return "contradicts channel.coherence_s: shares are constant for an upload, and so must be the channel"
        return ""

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return each worker's shares, from 0 to 1, of the subcarriers' time after 100 rounds of bids.

        Arguments:
            rates: rate of a worker on each whole subcarrier [bit/slot]. Shape [..., workers, subcarriers].
            subcarriers: number of subcarriers, unused.

        Returns:
            Shares, of sum 1 over workers on each subcarrier; 0 where no worker has a rate. Shape [..., workers,
            subcarriers].
        """
        rates = np.nan_to_num(rates, posinf=1.0)  # without noise all rates are infinite, and worth the same
        bids, budget = np.ones_like(rates), np.ones((*rates.shape[:-1], 1))
        for _ in range(ROUNDS):
            bids = _of_bids(bids)
            bids *= rates
            total = bids.sum(axis=-1, keepdims=True)
            total = np.where(total > 0, total, 1.0)
            budget = budget / total if self.levels else budget
            budget = budget / budget.sum(axis=-2, keepdims=True)
            bids *= budget / total
        return _of_bids(bids)


def _of_bids(bids: np.ndarray) -> np.ndarray:
    """Turn bids into shares in proportion to them, in place; a subcarrier without bids has shares of 0."""
    asked = bids.sum(axis=-2, keepdims=True)
    bids /= np.where(asked > 0, asked, 1.0)
    return bids
