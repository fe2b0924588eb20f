"""D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnovic, "QSGD: Communication-Efficient SGD via Gradient Quantization
and Encoding": elements rounded at random to levels of the vector's norm, without bias.

An element has ``uplink.bits_per_element`` b, one of them its sign, so there are s = 2^(b-1) - 1 levels. An element v_i
becomes ‖v‖·sgn(v_i)·l/s, l one of the two whole numbers around s·|v_i|/‖v‖. The norm takes 32 bits. The paper's codes
of variable length are not used.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from otafl.compressors.compressor import Compressor, Packet, register
from otafl.compressors.floating_point import rounded
from otafl.numerics.tensors import Tensor, tf

NORM_BITS = 32
"""Bits of a norm."""
WORD_BITS = 32
"""Bits of an element in single precision."""


@register("qsgd")
@dataclass(frozen=True)
class Qsgd(Compressor):
    """Elements rounded at random to levels, fractions of the vector's norm; the server wants the sum of unrounded ones.

    The norm is the 2-norm over a vector's elements.

    Arguments:
        bits_per_element: bits b of an element, one of them its sign: a whole number, or inside a program a tensor of
            shape [runs].
    """

    bits_per_element: Any = 32
    words: ClassVar[int] = 2

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have so many bits: too few for levels, or more than single precision has; else empty.

        Arguments:
            chain: unused.
            settings: unused.
            method: unused.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        if 2 <= self.bits_per_element <= WORD_BITS:
            return ""
        rule = f"needs uplink.bits_per_element of at least 2, as one is a sign, and at most {WORD_BITS}"
        return f"{rule}, not {self.bits_per_element}"

    def bits(self, elements: int, bits_per_element: int) -> int:
        """Return the bits of a vector's d elements and 32 bits of its norm.

        Arguments:
            elements: number d of elements of a vector.
            bits_per_element: bits of each element.
        """
        return elements * bits_per_element + NORM_BITS

    def packed(self, message: Tensor, random: Tensor | None, draw: Tensor) -> Packet:
        """Return vectors with elements rounded at random.

        Arguments:
            message: vectors of the workers, d elements each. Shape [workers, d, runs].
            random: random 32-bit words as float32, which seed each run's random numbers. Shape [2, runs].
            draw: unused.

        Returns:
            A ``Packet`` with rounded vectors, and the vectors themselves as those whose sum is wanted. Shape [workers,
            d, runs] each.
        """
        levels = tf.round(tf.pow(tf.constant(2.0, message.dtype), self.bits_per_element - 1)) - 1
        return Packet(quantised(message, levels, uniform(random, message)), message)


def quantised(vectors: Tensor, levels: Tensor, chance: Tensor) -> Tensor:
    """Return vectors rounded down, or up where a uniform number is below the part cut off. Shape [workers, d, runs].

    Absolute values are rounded to multiples of the vector's 2-norm over s. The norm is in single precision.

    Arguments:
        vectors: vectors of the workers, d elements each. Shape [workers, d, runs].
        levels: number s of levels, 2^(b − 1) − 1 for b bits. Shape [runs].
        chance: uniform numbers in [0, 1). Shape [workers, d, runs].
    """
    norm = rounded(tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True)), NORM_BITS)
    place = tf.math.divide_no_nan(tf.abs(vectors) * levels, norm)
    low = tf.floor(place)
    level = tf.minimum(low + tf.cast(chance < place - low, vectors.dtype), levels)
    return tf.sign(vectors) * level * norm / levels


def uniform(words: Tensor, like: Tensor) -> Tensor:
    """Return real numbers uniform in [0, 1), each run's from seeds of its own. Shape [workers, d, runs].

    They do not depend on the runs computed at the same time.

    Arguments:
        words: two random words of 32 bits for each run, as float32. Shape [2, runs].
        like: vectors whose shape [workers, d, runs] and type the numbers have.
    """
    seeds = tf.unstack(tf.bitcast(tf.cast(words, tf.float32), tf.int32), axis=1)
    drawn = [tf.random.stateless_uniform(like.shape[:2], one, alg="philox") for one in seeds]
    return tf.cast(tf.stack(drawn, axis=-1), like.dtype)
