"""G. Zhu, Y. Du, D. Gündüz, K. Huang, "One-Bit Over-the-Air Aggregation for Communication-Efficient Federated Edge
Learning: Design and Convergence Analysis": OBDA, workers send the signs of their updates, and the server takes the
majority.

Workers invert above a threshold at the power ρ0 that keeps to the budget on average over fading, and the server decides
every element by the sign of what it receives; the model moves by ``algorithm.server_step`` in each element. Reading:
signs are on the real parts of symbols, or with ``uplink.elements_per_symbol = 2`` on both parts, as in the paper.
"""

from typing import Any

from otafl.arrays import Tensor, tf
from otafl.uplinks.analog import Analog, scheme
from otafl.uplinks.analog_link import AnalogLink
from otafl.uplinks.link import Inputs, Link, Sent, Upload, squared_norms


class OneBitLink(AnalogLink):
    """One iteration of one-bit aggregation."""

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """The signs superpose, at a power that does not depend on how many are 0; what is meant is their sum."""
        signs, counted = tf.sign(message), self.inputs.channel.counted
        assert counted is not None
        symbols = tf.cast(tf.shape(message)[1], counted.dtype)
        return self.superposed(signs, signs)._replace(largest=symbols * tf.reduce_max(counted, axis=[0, 1]))

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """The sign of what arrives; the error is that of the vote."""
        upload = super().received(sent, vector)
        vote, meant = tf.sign(upload.total), tf.sign(sent.arrived if sent.meant is None else sent.meant)
        return upload._replace(total=vote, error=squared_norms(vote[0] - meant, meant))


@scheme("one_bit")
class OneBit(Analog):
    """Majority votes over the air."""

    scales = False

    @classmethod
    def link(cls, inputs: Inputs, runs: Any) -> Link:
        """A link that decides."""
        return OneBitLink(inputs)
