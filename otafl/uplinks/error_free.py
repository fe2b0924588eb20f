"""Uplinks over which what is sent arrives exactly."""

from typing import Any, NamedTuple

from otafl.arrays import Tensor, tf
from otafl.settings.keys import Settings
from otafl.uplinks.chain import chain
from otafl.uplinks.link import Link, Sent, Upload, squared_norms
from otafl.uplinks.uplink import Uplink


class Numbers(NamedTuple):
    """Numbers of the parts of an exact uplink, by part and name, each of shape [runs]."""

    numbers: Any


class ExactLink(Link):
    """One iteration of an exact uplink and downlink."""

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """Add up what workers send, as the server does."""
        packet = self.packed(message, vector)
        arrived, target_sum = self.summed(packet, packet.sent)
        return Sent(arrived, self.silent, self.silent, self.silent, target_sum)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """Return the sum as it is."""
        estimate, error = self.estimated(sent.arrived, sent, vector)
        if sent.target_sum is None:
            error = squared_norms(tf.zeros_like(estimate[0]), estimate[0])
        return Upload(estimate, self.silent, error, self.silent)


class ExactUplink(Uplink):
    """An uplink with an exact link; its cost does not depend on what is sent."""

    exact = True
    links = ExactLink

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Words of the compressor, for each vector."""
        return (self.method.vectors, self.chain.compressor.words)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Numbers:
        """Numbers of the chain's parts."""
        return Numbers(chain(settings).numbers)
