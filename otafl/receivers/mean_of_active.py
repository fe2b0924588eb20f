"""Receiver that estimates the sum over all workers from the sum over the active ones."""

from dataclasses import dataclass

from otafl.channels.precoding import Precoder
from otafl.channels.precoding.precoder import Told
from otafl.channels.receive_scaling import ReceiveScaling
from otafl.receivers.receiver import Receiver, register


@register("mean_of_active")
@dataclass(frozen=True)
class MeanOfActive(Receiver):
    """Mean over the active workers, weighted as they arrive, in place of the mean over all.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def receive_scaling(self, precoder: Precoder) -> ReceiveScaling:
        """Return the precoder's receive scaling: weights of the received symbol of each subcarrier.

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent.
        """
        return precoder.receive_scaling

    def asks(self, precoder: Precoder) -> Told:
        """Return the side information on workers that the precoder's receive scaling needs: "", "silence" or "gains".

        "" is none, "silence" tells which workers are silent on each subcarrier, "gains" are their power gains |h|².

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent.
        """
        return precoder.asks
