"""Allocations of the band by proportional response: all uploads end at once, or shares are proportionally fair.

Workers with budgets bid for subcarriers in proportion to the rates that these have brought them, and get shares in
proportion to their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to Market Equilibrium".
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Rates, Shares
from .allocation import Allocation, register

ROUNDS = 100


class ProportionalResponse(Allocation):
    """Base of allocations by the rates r_nk of workers n on whole subcarriers k, constant for an upload."""

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


@register("min_makespan")
@dataclass(frozen=True)
class MinMakespan(ProportionalResponse):
    """Allocation by which the last of equally long uploads ends soonest, max min_n Σ_k x_nk·r_nk.

    Here x_nk is the share of worker n on subcarrier k, and r_nk its rate on the whole subcarrier. Budgets move to the
    workers of the lowest rates until all rates are equal. After 100 rounds of bids the lowest rate is within 1% of a
    linear program's. Over S flat channels x_n ∝ 1/r_n, and b bits take b·Σ_n(1/r_n)/S slots.
    """

    levels: ClassVar[bool] = True


@register("proportional_fair")
@dataclass(frozen=True)
class ProportionalFair(ProportionalResponse):
    """Allocation that maximises Σ_n log Σ_k x_nk·r_nk: proportionally fair shares of the band.

    Here x_nk is the share of worker n on subcarrier k, and r_nk its rate on the whole subcarrier.
    """

    levels: ClassVar[bool] = False


def _of_bids(bids: np.ndarray) -> Shares:
    """Turn bids into shares in proportion to them, in place; a subcarrier without bids has shares of 0."""
    total = bids.sum(axis=-2, keepdims=True)
    bids /= np.where(total > 0, total, 1.0)
    return bids
