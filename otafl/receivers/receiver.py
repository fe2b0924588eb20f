"""Interface of receivers, and the receivers by name."""

from typing import ClassVar

from otafl.channels.precoding import Precoder
from otafl.channels.precoding.precoder import Told
from otafl.channels.receive_scaling import AsReceived, ReceiveScaling
from otafl.channels.registry import Part, Registry
from otafl.numerics.tensors import Tensor, tf


class Receiver(Part):
    """Base of receivers, which estimate the sum of all workers' vectors; by default it is taken as it arrives."""

    from_measurements: ClassVar[bool] = False
    """True where it finds vectors from random measurements."""
    non_coherent: ClassVar[bool] = False
    """True where it takes real and imaginary parts of symbols alike, and knows no channel."""
    from_codewords: ClassVar[bool] = False
    """True where it finds vectors from codewords of a codebook."""
    needs_all: ClassVar[bool] = False
    """True where the server's step is right only if all workers are heard."""
    by_worker: ClassVar[str] = ""
    """Reason for which it cannot do with a sum over the air, as it reads each worker's vector; empty: it can."""

    def receive_scaling(self, precoder: Precoder) -> ReceiveScaling:
        """Return the receive scaling: complex weights of the received symbol of each subcarrier.

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent; unused by default.

        Returns:
            A ``ReceiveScaling``, by default that of weight 1.
        """
        return AsReceived()

    def asks(self, precoder: Precoder) -> Told:
        """Return the side information on workers that the receiver needs: "", "silence" or "gains".

        "" is none, "silence" tells which workers are silent on each subcarrier, "gains" are their power gains |h|².

        Arguments:
            precoder: precoder of the workers, the factor on symbols before they are sent; unused by default.
        """
        return ""

    def decided(self, total: Tensor, weight: Tensor | None) -> Tensor:
        """Return the received sum after decisions on what was sent, by default the sum as it arrives. Shape of total.

        Arguments:
            total: received sum over workers, noise included, an entry for each number sent. Shape [numbers, runs].
            weight: receive scaling that is in it, of each number sent, as a magnitude; None: 1. Shape [numbers or 1,
                runs].
        """
        return total

    def combined(self, arrived: Tensor) -> Tensor:
        """Return what vectors of all workers are together, by default their sum. Shape [numbers, runs].

        Arguments:
            arrived: vectors of the workers as they arrive, an entry for each number sent. Shape [workers, numbers,
                runs].
        """
        return tf.reduce_sum(arrived, axis=0)

    def estimate(self, total: Tensor, elements: int, draw: Tensor) -> Tensor:
        """Return the server's estimate of the wanted sum, by default what arrives. Shape [elements, runs].

        Arguments:
            total: received sum over workers, noise included, an entry for each number sent. Shape [numbers, runs].
            elements: number d of elements of a vector before compression.
            draw: number of the vector among those of all rounds, from 0. Scalar.
        """
        return total

    def target(self, target_sum: Tensor) -> Tensor:
        """Return the estimate that would have no error, by default the wanted sum. Shape [d, runs].

        Arguments:
            target_sum: wanted sum of all workers' vectors, without noise. Shape [d, runs].
        """
        return target_sum


RECEIVERS = Registry("receiver", Receiver)
"""Receivers by name."""
register = RECEIVERS.register
