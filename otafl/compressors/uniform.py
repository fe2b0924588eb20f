"""Elements rounded at random to integers times a step that is the same for all workers, so that integers add up.

Source: the quantiser of digital over-the-air computation, as of S. Razavikia, J. M. Barros da Silva Júnior and
C. Fischione, "SumComp: Coding for Digital Over-the-Air Computation via the Ring of Integers". Rounding has no bias but
where elements are cut. Range and step are known beforehand, so that no side information is sent.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from otafl.compressors.compressor import Compressor, Packet, one_scale, register
from otafl.compressors.qsgd import uniform
from otafl.numerics.tensors import Tensor, tf
from otafl.receivers.sum_of_integers import Integers


@register("uniform")
@dataclass(frozen=True)
class Uniform(Integers, Compressor):
    """Elements rounded at random to integers times a step of all workers; the server wants the sum of unrounded ones.

    Analog symbols have q = ``uplink.levels`` points: PAM, or with ``uplink.elements_per_symbol = 2`` QAM of q² points.
    """

    words: ClassVar[int] = 2
    integers: ClassVar[bool] = True

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: an even number of levels, or more than vectors to send; empty where it can.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of which the method's name is read.
            method: the run's ``Method``, which says what it sends.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        if not self.levels % 2:
            return f"needs an odd uplink.levels, so that 0 is a level, not {self.levels}"
        return one_scale(settings, method)

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of a digital upload of d elements, log2 of the number of levels for each, rounded up.

        Arguments:
            elements: number d of elements of a vector.
            bits_per_element: unused.
        """
        return elements * math.ceil(math.log2(self.levels))

    def packed(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Packet:
        """Return vectors with elements cut to the range and rounded at random to multiples of the step.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: random 32-bit words as float32, which seed each run's random numbers. Shape [2, runs].
            draw: unused.

        Returns:
            A ``Packet`` with rounded vectors, and the vectors themselves as those whose sum is wanted. Shape [workers,
            d, runs] each.
        """
        place = tf.clip_by_value(message / self.step, -self.most, self.most)
        low = tf.floor(place)
        up = tf.cast(uniform(random, message) < place - low, message.dtype)
        return Packet((low + up) * self.step, message)
