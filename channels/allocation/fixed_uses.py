"""Allocation of a fixed number of channel uses to an upload.

Source: M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air", section III: digital uploads that carry as many bits as their channel uses allow.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .allocation import Allocation, register


@register("fixed_uses")
@dataclass(frozen=True)
class FixedUses(Allocation):
    """Allocation of as many channel uses to every worker, for all subcarriers in turn, and of the same sum each round.

    Each worker has 1/N of the time of every subcarrier. What it sends follows from the bits that its uses carry.

    Arguments:
        uses_per_round: channel uses of a round, of all workers together.
    """

    uses_per_round: int = field(
        default=100_000,
        metadata={
            "description": "fixed_uses: channel uses of a round, of all workers together. Workers send as many "
            "elements as their bits allow",
            "label": "Channel uses of a round",
            "ge": 1,
            "le": 10**12,
        },
    )

    replaces: ClassVar[tuple[str, ...]] = ("sparsity",)

    @property
    def uses(self) -> int:
        """Number of channel uses of an upload by all workers."""
        return self.uses_per_round

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it, all reasons: nothing adapts to its bits, or nobody knows them; else empty.

        Arguments:
            chain: the run's ``Chain``, of which compressor and code count.
            settings: the run's ``Settings``, of which bands, pilots, neighbours and outage are read.
            method: the run's ``Method``, of which its single numbers count.

        Returns:
            Reasons as the end of an error message; empty where the run can have it.
        """
        channel, uplink = settings.channel, settings.uplink
        rules = (
            (not chain.compressor.fits, "needs a compressor that adapts to the bits, such as 'top_k'"),
            (method.scalars, f"contradicts {settings.method}, whose single numbers must arrive whatever the bits"),
            (not chain.code.any_length or chain.code.attempts > 1, "needs uplink.code = 'shannon'"),
            (settings.subcarriers == "one_slot", "contradicts uplink.subcarriers = 'one_slot'"),
            (channel.pilots, f"contradicts channel.pilots = {channel.pilots}: workers would not know their bits"),
            (channel.coherence_s, "contradicts channel.coherence_s: uploads end in one coherence block"),
            (settings.cell.neighbours, "contradicts cell.neighbours: workers do not know their interference"),
            (uplink.outage, "contradicts uplink.outage: no upload is slower than another"),
        )
        return "; ".join(rule for wrong, rule in rules if wrong)

    def shares(self, rates: np.ndarray, subcarriers: int) -> np.ndarray:
        """Return the share of every worker, 1/N, of the time of every subcarrier. Shape of rates.

        Arguments:
            rates: rates, of which the shape [..., workers, subcarriers] alone is taken.
            subcarriers: unused.
        """
        return np.full(rates.shape, 1 / rates.shape[-2])
