"""J. Bernstein, Y.-X. Wang, K. Azizzadenesheli, A. Anandkumar, "signSGD: Compressed Optimisation for Non-Convex
Problems": the sign of each element.

With a majority vote at the receiver it is signSGD-MV over digital uploads, and one-bit over-the-air aggregation (OBDA)
over analog ones.
"""

import math
from dataclasses import dataclass

from otafl.compressors.compressor import Compressor, Packet, register
from otafl.numerics.tensors import Scalar, Vectors, Words, tf


@register("sign")
@dataclass(frozen=True)
class Sign(Compressor):
    """Signs in place of elements, 0 for a zero; the server wants the sum of signs.

    All symbols have the same power, so that power control need not know the vectors.

    Readings: signs are on the real parts of symbols, or with ``uplink.elements_per_symbol = 2`` on both parts. Elements
    that are 0 are frequent, and have a message of their own, so that a digital upload takes log2(3) bits an element.
    """

    unit = True
    digital_version = 2

    def requires(self, chain, settings, method) -> str:
        return "" if method.by_signs else f"gives signs, but {settings.method} needs sums of vectors"

    def remark(self, chain, settings) -> str:
        if settings.algorithm.server_step != 1:
            return ""
        return "elements of the model move by up to algorithm.server_step = 1 in a round; 0.005 to 0.02 are usual"

    def bits(self, elements: int, bits_per_element: int) -> int:
        return math.ceil(elements * math.log2(3))

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        return Packet(tf.sign(message))
