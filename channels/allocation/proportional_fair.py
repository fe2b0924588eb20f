"""Shares that are proportionally fair."""

from dataclasses import dataclass

import numpy as np

from channels.allocation.proportional_response import ProportionalResponse, shares_of
from channels.allocation.protocol import register


@register("proportional_fair")
@dataclass(frozen=True)
class ProportionalFair(ProportionalResponse):
    """Shares that maximise Σ_n log R_n, R_n = Σ_k x_nk·r_nk, with equal budgets."""

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return the shares. Shape of rates, [..., workers, S]."""
        return shares_of(rates, levels=False)
