"""H. Chen, Z. Bozorgasl, "Resource-Element Energy Difference for Noncoherent Over-the-Air Federated Learning" (REED,
arXiv 2605.07263): a real number as the energy of one of two orthogonal symbols, by its sign.

Workers need no instantaneous knowledge of their channels. Signs of symbols are drawn (dither), so that contributions of
different workers add up in energy on average.

Readings: dithers are 0 or π, where the paper draws phases. Over channels of random phase the moments of the estimate
are the same; over equal phases the cross terms of two workers have twice the variance.
"""

from dataclasses import dataclass

from otafl.channels.registry import parameter
from otafl.compressors.compressor import Compressor, Packet, one_scale, register
from otafl.compressors.qsgd import uniform
from otafl.numerics.tensors import Scalar, Vectors, Words, tf

SIDES = 2
"""Symbols of a chip of an element: one for each sign."""


@register("signed_energy")
@dataclass(frozen=True)
class SignedEnergy(Compressor):
    """Elements as energies of pairs of symbols: of the first one where positive, of the second one where negative.

    An element x has symbols of amplitude √(|x|/m) on one side of each of its m pairs (chips), 0 on the other.
    """

    chips: int = parameter(
        1,
        "signed_energy: pairs of symbols over which the energy of an element is spread, for diversity against fading",
        label="Chips",
        symbol="m",
        ge=1,
        le=1024,
    )
    shapes = ("chips",)
    words = 2
    energies = True

    def requires(self, chain, settings, method) -> str:
        if not chain.receiver.non_coherent:
            return "needs a receiver that takes energies, uplink.receiver = 'energy_difference'"
        return one_scale(settings, method)

    def symbols(self, elements: int) -> int:
        return SIDES * self.chips * elements

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        """Return amplitudes of the symbols with random signs, those of an element side by side, pair by pair."""
        sides = tf.sqrt(tf.stack([tf.nn.relu(message), tf.nn.relu(-message)], axis=2) / self.chips)
        spread = tf.tile(sides, [1, 1, self.chips, 1])
        amplitudes = tf.reshape(spread, (-1, self.symbols(message.shape[1]), message.shape[2]))
        return Packet(tf.where(uniform(random, amplitudes) < 1 / 2, amplitudes, -amplitudes), message)
