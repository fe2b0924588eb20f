"""What workers tell the server beside their uploads."""

from dataclasses import dataclass

import numpy as np

from otafl.uplinks.digital import Digital
from otafl.uplinks.uplink import Cost, Senders


@dataclass(frozen=True)
class Report(Digital):
    """What workers tell the server beside their uploads, each on its own subcarriers, at the Shannon rate.

    Arguments:
        told: bits that each tells.
    """

    told: int

    @property
    def bits(self) -> int:
        """Bits of a report."""
        return self.told

    def cost(self, senders: Senders) -> Cost:
        """That of a digital upload, in which no elements of a model are."""
        cost = super().cost(senders)
        return cost._replace(elements=np.zeros_like(cost.elements))
