"""Receiver that estimates the sum over all workers from that over those who are heard."""

from dataclasses import dataclass

from channels.combining import Combiner
from channels.precoding import Precoder
from channels.precoding.protocol import Told
from otafl.receivers.protocol import Receiver, register


@register("mean_of_active")
@dataclass(frozen=True)
class MeanOfActive(Receiver):
    """The mean over those who are heard, weighed as they arrive, stands for that over all.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def combiner(self, precoder: Precoder) -> Combiner:
        """The precoder's."""
        return precoder.combiner

    def asks(self, precoder: Precoder) -> Told:
        """What the precoder's combiner needs."""
        return precoder.asks
