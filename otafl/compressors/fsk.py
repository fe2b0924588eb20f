"""A. Şahin, "Distributed Learning over a Wireless Network with Non-coherent Majority Vote Computation": frequency-shift
keying, the sign of each element on one of two orthogonal resources.

A worker transmits with energy on the first resource of an element for a positive vote, on the second for a negative
one, and on neither where it abstains. It needs no knowledge of its channel.
"""

from dataclasses import dataclass

from otafl.channels.registry import parameter
from otafl.compressors.compressor import Packet, register
from otafl.compressors.sign import Sign
from otafl.numerics.tensors import Number, Scalar, Vectors, Words, tf

RESOURCES = 2
"""Symbols of an element: one for each sign."""


@register("fsk")
@dataclass(frozen=True)
class Fsk(Sign):
    """Signs as the choice of one of two neighbouring symbols; the server wants the sum of signs.

    A worker has the energy of both symbols on one of them, so that it transmits at its power budget on average.
    Workers abstain where an element is small (absentee votes) or 0.
    """

    absentee_threshold: Number = parameter(
        0.0,
        "fsk: absolute value of an element, over the root mean square of its vector, below which a worker abstains",
        label="Absentee threshold",
        symbol="t",
        ge=0.0,
    )
    active = 1 / RESOURCES

    def requires(self, chain, settings, method) -> str:
        if not chain.receiver.non_coherent:
            return "needs a receiver that compares energies, uplink.receiver = 'energy'"
        return super().requires(chain, settings, method)

    def symbols(self, elements: int) -> int:
        return RESOURCES * elements

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        """Return amplitudes of the symbols, 1 or 0, those of an element side by side, and the votes."""
        size = tf.sqrt(tf.reduce_mean(tf.square(message), axis=1, keepdims=True))
        votes = tf.where(tf.abs(message) >= self.absentee_threshold * size, tf.sign(message), tf.zeros_like(message))
        sides = tf.stack([tf.maximum(votes, 0.0), tf.maximum(-votes, 0.0)], axis=2)
        return Packet(tf.reshape(sides, (-1, RESOURCES * message.shape[1], message.shape[2])), votes)
