"""Receiver that estimates the sum over all workers from the sum over the active ones."""

from dataclasses import dataclass

from otafl.channels.precoding import Precoder
from otafl.channels.precoding.precoder import SideInformation
from otafl.channels.receive_scaling import ReceiveScaling
from otafl.receivers.receiver import Receiver, register


@register("mean_of_active")
@dataclass(frozen=True)
class MeanOfActive(Receiver):
    """Mean over the active workers, weighted as they arrive, in place of the mean over all.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def receive_scaling(self, precoder: Precoder) -> ReceiveScaling:
        return precoder.receive_scaling

    def asks(self, precoder: Precoder) -> SideInformation:
        return precoder.asks
