"""Stochastic rounding of elements to integers times a step that all workers share, so that integers add up.

Source: the quantiser of digital over-the-air computation, as of S. Razavikia, J. M. Barros da Silva Júnior and
C. Fischione, "SumComp: Coding for Digital Over-the-Air Computation via the Ring of Integers". Rounding has no bias but
where elements are cut. Range and step are known beforehand, so that no side information is sent.
"""

import math
from dataclasses import dataclass

from otafl.compressors.compressor import Compressor, Packet, one_scale, register
from otafl.compressors.qsgd import uniform
from otafl.numerics.tensors import Scalar, Vectors, Words, tf
from otafl.receivers.sum_of_integers import Integers


@register("uniform")
@dataclass(frozen=True)
class Uniform(Integers, Compressor):
    """Elements rounded stochastically to integers times a common step; the server wants the sum of unrounded ones.

    Analog symbols have q = ``uplink.levels`` points: PAM, or with ``uplink.elements_per_symbol = 2`` QAM of q² points.
    """

    words = 2
    integers = True

    def requires(self, chain, settings, method) -> str:
        if not self.levels % 2:
            return f"needs an odd uplink.levels, so that 0 is a level, not {self.levels}"
        return one_scale(settings, method)

    def bits(self, elements: int, bits_per_element: int) -> int:
        return elements * math.ceil(math.log2(self.levels))

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        place = tf.clip_by_value(message / self.step, -self.most, self.most)
        low = tf.floor(place)
        up = tf.cast(uniform(random, message) < place - low, message.dtype)
        return Packet((low + up) * self.step, message)
