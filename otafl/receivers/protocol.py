"""Interface of receivers, and the receivers by name."""

from typing import ClassVar

from channels.combining import AsReceived, Combiner
from channels.precoding import Precoder
from channels.precoding.protocol import Told
from channels.registry import Part, Registry
from otafl.arrays import Tensor


class Receiver(Part):
    """Base of receivers, which estimate the sum of all workers' vectors; by default it is taken as it arrives."""

    from_measurements: ClassVar[bool] = False
    """True where it finds vectors from random measurements."""

    def combiner(self, precoder: Precoder) -> Combiner:
        """Return the combiner: the weights of the signals received on each subcarrier."""
        return AsReceived()

    def asks(self, precoder: Precoder) -> Told:
        """Return the side information on workers that the receiver needs."""
        return ""

    def estimate(self, total: Tensor, elements: int, draw: Tensor) -> Tensor:
        """Return the server's estimate of the wanted sum. Shape [elements, runs].

        Arguments:
            total: the received sum, noise included. Shape [numbers, runs].
            elements: d.
            draw: number of the vector among those of all rounds. Scalar.
        """
        return total

    def target(self, target_sum: Tensor) -> Tensor:
        """Return the estimate that would have no error. Shape [d, runs].

        Arguments:
            target_sum: the wanted sum. Shape [d, runs].
        """
        return target_sum


RECEIVERS = Registry("receiver", Receiver)
"""Receivers by name."""
register = RECEIVERS.register
