"""Allocation of the band by proportional response.

Workers with budgets bid for subcarriers in proportion to the rates that these have brought them, and get shares in
proportion to their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to Market Equilibrium".
"""

from typing import ClassVar

import numpy as np

from ..array_types import Rates, Shares
from .allocation import Allocation

ROUNDS = 100
"""Number of rounds of bids."""


class ProportionalResponse(Allocation):
    """Base of allocations by the rates of workers on subcarriers, for a channel that is constant for an upload.

    A subcarrier on which no worker has a rate has shares of 0.
    """

    levels: ClassVar[bool]
    """True: budgets change until all workers have the same rate; False: budgets are equal."""

    def shares(self, rates: Rates, subcarriers: int) -> Shares:
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


def _of_bids(bids: np.ndarray) -> Shares:
    """Turn bids into shares in proportion to them, in place; a subcarrier without bids has shares of 0."""
    total = bids.sum(axis=-2, keepdims=True)
    bids /= np.where(total > 0, total, 1.0)
    return bids
