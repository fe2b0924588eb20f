"""Allocation by which all uploads end at once."""

from dataclasses import dataclass
from typing import ClassVar

from .allocation import register
from .proportional_response import ProportionalResponse


@register("min_makespan")
@dataclass(frozen=True)
class MinMakespan(ProportionalResponse):
    """Allocation by which the last of equally long uploads ends soonest, max min_n Σ_k x_nk·r_nk.

    Budgets move to the workers of the lowest rates until all rates are equal. After 100 rounds of bids the lowest
    rate is within 1% of a linear program's. Over flat channels x_n ∝ 1/r_n, and b bits take b·Σ_n(1/r_n)/S slots.

    Here x_nk is the share of worker n on subcarrier k, r_nk its rate on the whole subcarrier, and S their number.
    """

    levels: ClassVar[bool] = True
