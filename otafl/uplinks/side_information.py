"""Reports of side information from workers to the server, besides their uploads."""

from dataclasses import dataclass

import numpy as np

from otafl.uplinks.digital import Digital
from otafl.uplinks.uplink import Cost, Senders


@dataclass(frozen=True)
class Report(Digital):
    """Report of so many bits by each worker to the server, on its own subcarriers and at the Shannon rate."""

    report_bits: int

    @property
    def bits(self) -> int:
        return self.report_bits

    def cost(self, senders: Senders) -> Cost:
        """Return the cost of a digital upload without elements; edge servers hear their groups at the same time."""
        cost, edges = super().cost(senders), self.chain.power_control.edges
        slots = np.ceil(cost.slots / edges) if edges > 1 else cost.slots
        return cost._replace(slots=slots, elements=np.zeros_like(cost.elements))
