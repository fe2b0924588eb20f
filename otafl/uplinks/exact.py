"""Uplinks over which every message arrives as it was sent."""

from typing import NamedTuple

from otafl.arrays import Tensor, tf
from otafl.uplinks.link import Inputs, Sent, Upload, squared_norms
from otafl.uplinks.uplink import Uplink


class ExactLink(NamedTuple):
    """One iteration of an exact uplink and downlink.

    Arguments:
        none_sent: zeros, the energy of analog symbols. Shape [runs].
    """

    none_sent: Tensor

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """The sum over workers, formed at the server from what each of them sent."""
        return Sent(tf.reduce_sum(message, axis=0), self.none_sent, self.none_sent, self.none_sent)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """The sum as it is."""
        total, nothing = sent.arrived, tf.zeros_like(sent.arrived)
        return Upload(total[None], self.none_sent, squared_norms(nothing, total), self.none_sent)

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """The message as it is."""
        return message


class ExactUplink(Uplink):
    """An uplink with an exact link; its cost does not depend on what is sent."""

    exact = True

    @classmethod
    def link(cls, inputs: Inputs, runs: Tensor) -> ExactLink:
        """The link of one iteration."""
        return ExactLink(tf.zeros_like(runs))
