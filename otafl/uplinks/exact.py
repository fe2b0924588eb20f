"""The link of uplinks over which every message arrives as it was sent."""

from typing import NamedTuple

from otafl.arrays import Tensor, tf
from otafl.uplinks.uplink import Upload


class ExactLink(NamedTuple):
    """One iteration of an exact uplink and downlink.

    Arguments:
        none_sent: zeros, the energy of analog symbols. Shape [runs].
    """

    none_sent: Tensor

    def sum(self, message: Tensor, vector: int = 0) -> Upload:
        """The sum over workers, formed at the server from what each of them sent."""
        return Upload(tf.reduce_sum(message, axis=0, keepdims=True), self.none_sent)

    def broadcast(self, model: Tensor) -> Tensor:
        """The model as it is."""
        return model
