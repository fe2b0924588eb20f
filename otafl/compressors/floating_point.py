"""Elements as floating-point numbers of 16, 32 or 64 bits over digital uploads."""

from dataclasses import dataclass

from otafl.compressors.compressor import Compressor
from otafl.numerics.tensors import Tensor, tf

FRACTIONS = {16: 7, 32: 23, 64: 52}
"""Bits of a number's fraction, by its bits: bfloat16, single and double precision."""
TYPES = {16: "bfloat16", 32: "float32"}
"""TensorFlow types of the numbers that others are rounded to, by bits."""


@dataclass(frozen=True)
class FloatingPoint(Compressor):
    """Base of compressors whose digital uploads send elements as floating-point numbers of 16, 32 or 64 bits.

    16 are those of bfloat16, which has the range of single precision and eight significant bits.
    """

    bits_per_element: int = 32
    shapes = ("bits_per_element",)
    floats = True

    @property
    def number_bits(self) -> int:
        return self.bits_per_element


def rounded(numbers: Tensor, bits: int) -> Tensor:
    """Return numbers in single or double precision rounded to the nearest ones of 16, 32 or 64 bits, ties to even.

    >>> float(rounded(tf.constant(1.001), 16))
    1.0
    """
    # The fraction is rounded in whole numbers, as compilers leave out casts there and back on some devices; the casts
    # behind it keep to the range of exponents.
    present = 8 * numbers.dtype.size
    if bits >= present:
        return numbers
    cut = FRACTIONS[present] - FRACTIONS[bits]
    whole = tf.int64 if present == 64 else tf.int32
    word = tf.bitcast(numbers, whole)
    odd = tf.bitwise.bitwise_and(tf.bitwise.right_shift(word, tf.constant(cut, whole)), tf.constant(1, whole))
    nearest = word + odd + tf.constant(2 ** (cut - 1) - 1, whole)
    short = tf.bitcast(tf.bitwise.bitwise_and(nearest, tf.constant(-(2**cut), whole)), numbers.dtype)
    short = tf.where(tf.math.is_nan(numbers), numbers, short)  # as that of GPUs, all ones, would become 0
    return tf.cast(tf.cast(short, TYPES[bits]), numbers.dtype)
