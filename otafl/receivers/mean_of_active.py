"""Receiver that estimates the sum over all workers from the sum over the active ones."""

from dataclasses import dataclass

from channels.combining import Combiner
from channels.precoding import Precoder
from channels.precoding.protocol import Told
from otafl.receivers.protocol import Receiver, register


@register("mean_of_active")
@dataclass(frozen=True)
class MeanOfActive(Receiver):
    """Mean over the active workers, weighted as they arrive, in place of the mean over all.

    Source: Elgabli et al., section V-A (A-GD), after Zhu, Wang and Huang.
    """

    def combiner(self, precoder: Precoder) -> Combiner:
        """Return the precoder's combiner: the weights of the signals received at the antennas on each subcarrier.

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent.
        """
        return precoder.combiner

    def asks(self, precoder: Precoder) -> Told:
        """Return the side information on workers that the precoder's combiner needs: "", "silence" or "gains".

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent.
        """
        return precoder.asks
