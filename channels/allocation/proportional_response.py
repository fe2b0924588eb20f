"""Shares of the band by proportional response.

Workers with budgets bid for subcarriers in proportion to what these have brought them, and get shares in proportion to
their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to Market Equilibrium".
"""

from typing import Any, ClassVar

import numpy as np

from channels.allocation.protocol import Allocation

ROUNDS = 100
"""Number of rounds of bids."""


class ProportionalResponse(Allocation):
    """Allocation by what subcarriers bring each worker, for a channel that stays for an upload."""

    levels: ClassVar[bool]
    """True where budgets level the rates of all workers; False: budgets are equal."""

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Refuse uploads without a band to share, and channels that change on the way."""
        if settings.uplink.subcarriers == "one_slot":
            return 'contradicts uplink.subcarriers = "one_slot", with which there is no band to share'
        if settings.uplink.power_reference == "total":
            return 'contradicts uplink.power_reference = "total", which goes with equal parts of the band'
        if settings.channel.coherence_s:
            return "contradicts channel.coherence_s: shares stay for an upload, and so must the channel"
        return ""

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return the shares after ROUNDS of bids. Shape of rates, [..., workers, S]."""
        rates = np.nan_to_num(rates, posinf=1.0)  # without noise all that arrives is worth as much
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
    """Return shares in proportion to bids, in their place; nobody has what nobody bids for."""
    asked = bids.sum(axis=-2, keepdims=True)
    bids /= np.where(asked > 0, asked, 1.0)
    return bids
