"""D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnovic, "QSGD: Communication-Efficient SGD via Gradient Quantization
and Encoding": stochastic rounding of elements to levels of the vector's norm, without bias.

An element has ``uplink.bits_per_element`` b, one of them its sign, so there are s = 2^(b-1) - 1 levels. An element v_i
becomes ‖v‖·sgn(v_i)·l/s, l one of the two whole numbers around s·|v_i|/‖v‖. The norm takes 32 bits. The paper's codes
of variable length are not used.
"""

from dataclasses import dataclass

from otafl.compressors.compressor import Compressor, Packet, register
from otafl.compressors.floating_point import rounded
from otafl.numerics.tensors import Number, Scalar, Vectors, Words, tf

NORM_BITS = 32
WORD_BITS = 32
"""Bits of an element in single precision."""


@register("qsgd")
@dataclass(frozen=True)
class Qsgd(Compressor):
    """Elements rounded stochastically to fractions of the vector's norm; the server wants the sum of unrounded ones.

    One of the bits of an element is its sign.
    """

    bits_per_element: Number = 32
    words = 2

    def requires(self, chain, settings, method) -> str:
        if 2 <= self.bits_per_element <= WORD_BITS:
            return ""
        rule = f"needs uplink.bits_per_element of at least 2, as one is a sign, and at most {WORD_BITS}"
        return f"{rule}, not {self.bits_per_element}"

    def bits(self, elements: int, bits_per_element: int) -> int:
        return elements * bits_per_element + NORM_BITS

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        levels = tf.round(tf.pow(tf.constant(2.0, message.dtype), self.bits_per_element - 1)) - 1
        return Packet(quantised(message, levels, uniform(random, message)), message)


def quantised(vectors: Vectors, levels: Number, chance: Vectors) -> Vectors:
    """Return vectors rounded to multiples of their 2-norm over s, up where a chance in [0, 1) is below the rest."""
    norm = rounded(tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True)), NORM_BITS)
    place = tf.math.divide_no_nan(tf.abs(vectors) * levels, norm)
    low = tf.floor(place)
    level = tf.minimum(low + tf.cast(chance < place - low, vectors.dtype), levels)
    return tf.sign(vectors) * level * norm / levels


def uniform(words: Words, like: Vectors) -> Vectors:
    """Return real numbers uniform in [0, 1), of shape and type of ``like``, each run's from two words of its own."""
    seeds = tf.unstack(tf.bitcast(tf.cast(words, tf.float32), tf.int32), axis=1)
    drawn = [tf.random.stateless_uniform(like.shape[:2], seed, alg="philox") for seed in seeds]
    return tf.cast(tf.stack(drawn, axis=-1), like.dtype)
