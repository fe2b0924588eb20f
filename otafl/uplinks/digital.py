"""Digital uplink: every message arrives exactly, over orthogonal subcarriers at the Shannon rate.

Approximations: capacity-achieving codes without errors; rounding to ``bits_per_element`` bits is not simulated.
"""

from typing import NamedTuple

import tensorflow as tf

from otafl.arrays import Tensor
from otafl.uplinks.link import Upload


class DigitalLink(NamedTuple):
    """One iteration of the digital uplink and downlink; its cost does not depend on what is sent (``otafl.ledger``).

    Arguments:
        none_sent: zeros, the energy of analog symbols. Shape [runs].
    """

    none_sent: Tensor

    def superpose(self, contribution: Tensor) -> Upload:
        """The sum over workers, formed at the server from what each of them sent."""
        return self.sum(contribution)

    def sum(self, message: Tensor) -> Upload:
        """The sum over workers, formed at the server from what each of them sent."""
        return Upload(tf.reduce_sum(message, axis=0, keepdims=True), self.none_sent)

    def broadcast(self, model: Tensor) -> Tensor:
        """The model as it is."""
        return model
