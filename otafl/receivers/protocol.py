"""Receiver interface, and the receivers by name."""

from typing import ClassVar

from channels.combining import AsReceived, Combiner
from channels.precoding import Precoder
from channels.precoding.protocol import Told
from channels.registry import Part, Registry
from otafl.arrays import Tensor


class Receiver(Part):
    """How the server estimates the sum of all workers' vectors; one that says nothing else takes it as it arrives."""

    from_measurements: ClassVar[bool] = False
    """True where it finds vectors from random measurements."""

    def combiner(self, precoder: Precoder) -> Combiner:
        """Return the weights of what arrives on each subcarrier."""
        return AsReceived()

    def asks(self, precoder: Precoder) -> Told:
        """Return the side information of workers that it needs."""
        return ""

    def estimate(self, total: Tensor, elements: int, draw: Tensor) -> Tensor:
        """Return what the server makes of a sum of what workers have sent. Shape [numbers, runs] to [elements, runs].

        Arguments:
            total: the sum as it arrives, noise included.
            elements: d.
            draw: number of the vector among those of all rounds. Scalar.
        """
        return total

    def target(self, target_sum: Tensor) -> Tensor:
        """Return what it would make of the sum that is meant. Shape [d, runs]."""
        return target_sum


RECEIVERS = Registry("receiver", Receiver)
"""Receivers by name."""
register = RECEIVERS.register
