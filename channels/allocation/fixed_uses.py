"""Allocation of a fixed number of channel uses to an upload.

Source: M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air", section III: digital uploads that carry as many bits as their channel uses allow.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import Rates, Shares
from ..registry import parameter
from .allocation import Allocation, register


@register("fixed_uses")
@dataclass(frozen=True)
class FixedUses(Allocation):
    """Allocation of as many channel uses to every worker, for all subcarriers in turn, and of the same sum each round.

    Each worker has 1/N of the time of every subcarrier. What it sends follows from the bits that its uses carry.
    """

    uses_per_round: int = parameter(
        100_000,
        "fixed_uses: channel uses of a round, of all workers together. Workers send as many "
        "elements as their bits allow",
        label="Channel uses of a round",
        ge=1,
        le=10**12,
    )

    replaces: ClassVar[tuple[str, ...]] = ("sparsity",)

    @property
    def uses(self) -> int:
        return self.uses_per_round

    def shares(self, rates: Rates, subcarriers: int) -> Shares:
        return np.full(rates.shape, 1 / rates.shape[-2])
